"""Judge: ask a model in one call which sentences of an answer the evidence supports."""

from collections.abc import Sequence

from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.ports import ChatModel
from research_agent.prompts import Prompts
from research_agent.text.content_words import content_words, share_held
from research_agent.text.quote_search import Quote, headings
from research_agent.types import Chunk, Message
from research_agent.types.claims import Claim, is_verbatim
from research_agent.types.evidence import Evidence, fenced, render_evidence
from research_agent.verification.judge import (
    TOKENS,
    judge_schema,
    listed,
    read_judgements,
    with_judgement,
)

MOST = 24
"""Sentences of an answer that are asked about: the least supported ones."""
Judged = tuple[tuple[Claim, ...], tuple[str, ...]]
"""The claims, and notes for the trace."""


def judged(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    claims: Sequence[Claim],
    evidence: Sequence[Evidence],
    *,
    model: ChatModel,
    prompts: Prompts,
    system: Message,
    meter: Meter,
    unsure: tuple[float, float],
) -> Judged:
    """Return the claims with what the model says of those whose score lies in `unsure`.

    The `system` prompt is the answer's, so that a server reads the evidence once. What stands in a
    chunk word for word is not asked about. Where the model fails, is not paid, or
    its reply says nothing of a sentence, the score's verdict stays, and a note says so. Never
    raises.
    """
    low, high = unsure
    chunks = {item.key: item.hit.chunk for item in evidence}
    asked = [
        at
        for at, claim in enumerate(claims)
        if low <= claim.support <= high and not is_verbatim(claim, chunks)
    ]
    asked = sorted(sorted(asked, key=lambda at: claims[at].support)[:MOST])
    if not asked:
        return tuple(claims), ()
    content = prompts.judge.render(
        evidence=render_evidence(evidence),
        question=question,
        sentences=fenced(listed([claims[at].text for at in asked])),
    )
    try:
        reply = meter.ask(
            model,
            "verifier",
            [system, Message("user", content)],
            max_tokens=TOKENS * len(asked),
            schema=judge_schema(len(asked)),
        )
    except (ModelError, BudgetError) as error:
        return tuple(claims), (f"verify: sentences were not judged: {error}",)
    said = read_judgements(reply.text, len(asked), chunks)
    found = list(claims)
    for number, at in enumerate(asked, 1):
        if judgement := said.get(number):
            quote = None
            if judgement.key:
                text = chunks[judgement.key].text[judgement.start : judgement.end]
                quote = Quote(
                    _share(found[at].text, text, chunks[judgement.key]),
                    text,
                    judgement.start,
                    judgement.end,
                )
            found[at] = with_judgement(found[at], judgement, quote)
    silent = len(asked) - len(said)
    note = (
        f"verify: the judge's reply says nothing that counts of {silent} of {len(asked)} sentences"
    )
    return tuple(found), (note,) if silent else ()


def _share(sentence: str, text: str, chunk: Chunk) -> float:
    """Return the share of a sentence's words that a quote and what heads its chunk hold."""
    return share_held(sentence, content_words(text) | content_words(headings(chunk)))
