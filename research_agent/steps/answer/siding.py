"""Add what a written answer leaves out of a comparison."""

from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.claims import read_claims
from research_agent.core.evidence import Evidence
from research_agent.core.passages import as_answer
from research_agent.core.question_plan import compared_things
from research_agent.core.question_words import QuestionWords
from research_agent.core.sides import asked_of, missing_sides
from research_agent.core.types import Token
from research_agent.core.verification import Answer
from research_agent.errors import ModelError
from research_agent.ports import Embedder
from research_agent.steps.answer.passages import choose_passages


def with_both_sides(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    written: Answer,
    evidence: Sequence[Evidence],
    *,
    words: Sequence[QuestionWords],
    embedder: Embedder,
    min_support: float,
    max_words: int,
) -> tuple[Answer, tuple[str, ...]]:
    """Add a passage on each thing that the question compares and the answer leaves out.

    It is the one that names the thing and is nearest to the question about it alone. Where the
    embedding fails the answer stays as it is, and a note says so.
    """
    things = compared_things(question, words)
    if not things:
        return written, ()
    claims = read_claims(
        written.text, written.tokens, evidence, min_support=min_support, asked=question
    )
    missing = missing_sides(question, claims, words)
    asked = dict(zip(things, asked_of(question, things, words), strict=True))
    try:
        added = [
            passage
            for thing in missing
            for passage in choose_passages(
                asked[thing],
                evidence,
                embedder=embedder,
                most=1,
                max_words=max_words,
                naming=thing,
            )
        ]
    except ModelError as error:
        return written, (f"answer: no passages on {', '.join(missing)}: {error}",)
    if not added:
        return written, ()
    more = f"\n{as_answer(added)}"
    tokens = (*written.tokens, Token(more, 0.0)) if written.tokens else ()
    note = f"answer: passages were added on {', '.join(missing)}"
    return replace(written, text=written.text + more, tokens=tokens), (note,)
