"""What every door says of a result in words: its marks, what it lacks, its citations."""

from research_agent.types.result import Citation, ResearchResult


def marks_line(result: ResearchResult) -> str:
    """Return how many sentences of an answer have which mark; empty where none has one."""
    counts = {"unconfirmed": result.unconfirmed, "contradicted": result.contradicted}
    marks = ", ".join(f"{count} {mark}" for mark, count in counts.items() if count)
    whole = result.supported + result.unconfirmed + result.contradicted
    return f"{marks} of {whole} sentences" if marks else ""


def lacking_lines(result: ResearchResult) -> tuple[str, ...]:
    """Return what an answer lacks, a line each: what was not found, and what was left out of it."""
    verdicts = {claim.text: claim.verdict for claim in result.claims}
    return tuple(
        f"left out, {verdicts[part]}: {part}"
        if part in verdicts
        else f"not found: {part or 'a part of the question'}"
        for part in result.unanswered
    )


def quoted_line(citation: Citation) -> str:
    """Return where a citation leads, with its quote, in one line."""
    return f'[{citation.key}] {citation.place}: "{" ".join(citation.quote.split())}"'
