"""An evaluation as Markdown, as JSON and as one HTML page with plots, and the files they go to."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from research_agent.evaluation.metrics import Difference, Figure
from research_agent.evaluation.rows import STAGES, EvalRow
from research_agent.interfaces.evaluation.running import Evaluation
from research_agent.interfaces.report.target import MADE_BY
from research_agent.interfaces.report.writing import environment, policy
from research_agent.private_files import replace_text
from research_agent.text.visible import plain

PACKAGE = "research_agent.interfaces.evaluation"
REPORT_PACKAGE = "research_agent.interfaces.report"
PLOT = (400.0, 200.0)
"""Width and height of a risk-coverage plot."""
LEAST_SHOWN = 1e-3


def evaluation_json(evaluation: Evaluation, changes: Sequence[Difference]) -> dict[str, object]:
    """Return the figures as JSON values, without the rows."""
    figures = {one.name: asdict(one) for one in evaluation.summary.figures}
    found = {"about": dict(evaluation.about), **asdict(evaluation.summary), "figures": figures}
    return found | {"changes": {one.name: asdict(one) for one in changes}}


def value(number: float) -> str:
    """Return a figure as text: with two decimals, large ones whole.

    >>> value(0.126), value(1234.5), value(0.00012)
    ('0.13', '1,234', '0.00012')
    """
    if 0 < abs(number) < LEAST_SHOWN:
        return f"{number:.2g}"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.2f}"  # noqa: PLR2004 (percent)


def interval(figure: Figure) -> str:
    """Return a figure's 95 % interval as text."""
    return f"{value(figure.low)} to {value(figure.high)}"


def notes(evaluation: Evaluation) -> list[str]:
    """Return what has to be said beside the figures, a sentence each."""
    of = evaluation.summary
    told = {
        f"{of.questions} questions, {of.answerable} of them answerable.": True,
        "Only refusals are measured.": not of.answerable,
        f"{of.failed} ended with an error and count in no figure of answers.": of.failed,
        f"{of.judged} answers were judged by a model: their questions give no facts.": of.judged,
        f"Of {of.nonsense} answers the judge model said nothing usable; they count apart.": (
            of.nonsense
        ),
        f"Whether {of.unknown} answers are right is not known.": of.unknown,
    }
    found = [sentence for sentence, holds in told.items() if holds]
    if of.tokens_a_right_answer:
        found.append(f"{value(of.tokens_a_right_answer)} tokens a right answer.")
    for source, below in of.areas.items():
        found.append(f"Area below the risk-coverage curve by {source}: {value(below)}.")
    if of.lost:
        through = f"{of.lost.get('', 0)} came through"
        parts = [f"{of.lost[stage]} not {stage}" for stage in STAGES if stage in of.lost]
        found.append(f"Golds: {', '.join([through, *parts])}.")
    return found


def change(one: Difference) -> tuple[str, ...]:
    """Return a difference as the cells of its row."""
    gap = one.difference
    clear = "yes" if one.is_clear else "no"
    low, high = (f"{number:+.3g}" for number in (gap.low, gap.high))
    test = "" if one.p is None else f"{one.p:.3g}"
    pairs = f"{one.gained} more, {one.fewer} less"
    return (value(one.old), value(one.new), f"{low} to {high}", clear, pairs, test)


CHANGES = ("metric", "old", "new", "difference, 95 %", "clear", "questions", "McNemar's p")


def markdown(
    evaluation: Evaluation,
    changes: Sequence[Difference],
    shown: Callable[[str], str] = plain,
) -> str:
    """Return the figures as Markdown; what others wrote is escaped by `shown`."""
    about = "\n".join(f"- {name}: {shown(said)}" for name, said in evaluation.about.items())
    figures = [
        (one.name, value(one.mean), interval(one), str(one.questions), one.about)
        for one in evaluation.summary.figures
    ]
    parts = [
        "# Evaluation",
        about,
        "\n".join(notes(evaluation)),
        _table(("metric", "mean", "95 %", "questions", "what it is"), figures),
    ]
    if changes:
        parts.append("## Beside the old run")
        parts.append(_table(CHANGES, [(one.name, *change(one)) for one in changes]))
    if wrong := [row for row in evaluation.rows if is_wrong(row)]:
        parts.append("## Not right")
        rows = [(shown(row.qid), shown(row.question), outcome(row)) for row in wrong]
        parts.append(_table(("id", "question", "what happened"), rows))
    return "\n\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(heads)}", *lines[1:]])


def is_wrong(row: EvalRow) -> bool:
    """Return whether a row needs a look: not right, failed, or a gold was not found."""
    return bool(row.error) or row.right is False or (not row.asked and any(row.lost))


def outcome(row: EvalRow) -> str:
    """Return what became of a question, in a few words."""
    said = [
        "error" if row.error else "",
        row.status,
        {True: "right", False: "wrong", None: ""}[row.right],
        f"judge: {row.judged}" if row.judged else "",
        f"{sum(row.facts)} of {len(row.facts)} facts" if row.facts else "",
        *(f"a gold not {stage}" for stage in STAGES if stage in row.lost),
    ]
    return ", ".join(filter(None, said)) or "searched"


def html(evaluation: Evaluation, changes: Sequence[Difference]) -> str:
    """Return one HTML page without scripts or requests; every word of others is escaped."""
    style = (files(REPORT_PACKAGE) / "templates" / "report.css").read_text(encoding="utf-8")
    style += (files(PACKAGE) / "templates" / "plots.css").read_text(encoding="utf-8")
    wide, high = PLOT
    curves = {
        source: " ".join(f"{at.coverage * wide:.1f},{high - at.risk * high:.1f}" for at in curve)
        for source, curve in evaluation.summary.curves.items()
    }
    template = environment(PACKAGE).get_template("evaluation.html.jinja")
    page = template.render(
        evaluation=evaluation,
        notes=notes(evaluation),
        changes=[(one.name, *change(one)) for one in changes],
        heads=CHANGES,
        curves=curves,
        plot=PLOT,
        value=value,
        interval=interval,
        outcome=outcome,
        policy=policy(style),
        made_by=MADE_BY,
    )
    return page.replace("/*STYLE*/", style, 1)


def write_pages(evaluation: Evaluation, changes: Sequence[Difference], folder: Path) -> None:
    """Write summary.json, report.md and report.html to a folder."""
    said = json.dumps(evaluation_json(evaluation, changes), indent=1)
    texts = {
        "summary.json": f"{said}\n",
        "report.md": markdown(evaluation, changes),
        "report.html": html(evaluation, changes),
    }
    for name, text in texts.items():
        replace_text(folder / name, text.encode(errors="backslashreplace").decode())
