"""What no fault may lead to."""

from collections.abc import Sequence

from benchmarks.faults.good import ANSWER, PRIVATE
from research_agent.errors import ResearchAgentError
from research_agent.types.refusals import REFUSAL
from research_agent.types.result import ResearchResult


def broken_by_error(error: Exception | None) -> Sequence[str]:
    """Return what is wrong with an error: it has to be ours, and to say what to do.

    >>> from research_agent.errors import ModelError
    >>> broken_by_error(KeyError("x")), broken_by_error(ModelError("down"))
    (['a bare KeyError'], ['no hint'])
    """
    if not isinstance(error, ResearchAgentError):
        return [f"a bare {type(error).__name__}"]
    return [] if error.hint else ["no hint"]


def broken_by_result(result: ResearchResult, named_by: str, *, scripted: bool) -> Sequence[str]:
    """Return what is wrong with a result.

    An answer has to be the whole reply of the good server with evidence for all of it, or to say
    that it was cut (a model that is not `scripted` chooses its own words); a refusal has to say
    why; and both have to name what went wrong.
    """
    broken = [] if _is_named(result, named_by) else ["the result does not say what happened"]
    if result.status == "refused":
        told = result.answer == REFUSAL and result.refusal_reason and result.warnings
        return broken if told else [*broken, "a refusal without a reason"]
    texts = {item.key: item.hit.chunk.text for item in result.evidence}
    quoted = all(citation.quote in texts.get(citation.key, "") for citation in result.citations)
    if not result.citations or not quoted:
        broken.append("an answer without evidence")
    whole = not scripted or result.answer == ANSWER
    if not whole and not any("cut" in warning for warning in result.warnings):
        broken.append("an incomplete reply is shown as complete")
    return broken


def repeated(text: str) -> Sequence[str]:
    """Return what a message gives away: the key, a document's text, the server's own words.

    >>> repeated("401 for sk-private-key"), repeated("401 (invalid_api_key)")
    (['repeats sk-private-key'], [])
    """
    return [f"repeats {found}" for found in PRIVATE.findall(text)]


def _is_named(result: ResearchResult, named_by: str) -> bool:
    usage = result.usage
    match named_by:
        case "nothing":
            return True
        case "uncertainty" if result.uncertainty.source != "logprobs":
            return True
        case _:
            return bool(result.warnings or usage.retries or usage.failed_calls)
