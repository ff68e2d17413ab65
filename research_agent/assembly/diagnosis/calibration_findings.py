"""Facts about fitted thresholds to findings."""

from collections.abc import Iterator

from research_agent.assembly.diagnosis.facts import CalibrationFacts, Finding

PART = "calibration"


def calibration_findings(facts: CalibrationFacts) -> Iterator[Finding]:
    """Yield what was fitted to the index, and whether it is out of date or cannot be read.

    >>> list(calibration_findings(CalibrationFacts(problem="It is old.", cure="do it")))
    [Finding(level='warning', part='calibration', what='It is old.', cure='do it')]
    """
    if facts.problem:
        yield Finding("warning", PART, facts.problem, facts.cure)
        return
    for name, fitted in facts.thresholds:
        yield Finding(
            "ok",
            PART,
            f"{name} {fitted.value:g}, fitted to {fitted.questions} questions ({fitted.source}) "
            f"at {facts.made}: share of errors below {fitted.bound:.1%}",
        )
    for name, limit in facts.answers:
        yield Finding(
            "ok",
            PART,
            f"{name} {limit.value:g}, fitted to {limit.drafts} answers ({limit.writers}) "
            f"at {facts.made}: {limit.answered} within it, {limit.wrong} of them wrong",
        )
