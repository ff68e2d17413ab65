"""Under which keys verdicts on single chunks are kept, and how they are written down."""

from collections.abc import Sequence
from hashlib import sha256
from typing import get_args

from research_agent.types import Chunk, chunk_header
from research_agent.types.filtering import ChunkDecision, Verdict

_VERDICTS = frozenset(get_args(Verdict)) - {"undecided"}


def decision_key(prompt: str, query: str, shown: str) -> str:
    """Return the key of a verdict: all that it depends on but the model.

    `prompt` is the template's text and `shown` what the model is shown of the chunk.

    >>> decision_key("Keep it?", "bread", "Rye.")[:12]
    'e10cd42a0d14'
    """
    parts = f"{prompt}\0{query}\0{shown}"
    return sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def chunk_content(chunk: Chunk, references: Sequence[str] = ()) -> str:
    r"""Return all of a chunk that a verdict may depend on, whatever the prompt has room for.

    >>> chunk_content(Chunk("x", "guide", "Rye.", title="Bread"), ["Table 2"])
    'text\nguide\nBread\nTable 2\nRye.'
    """
    return "\n".join((chunk.kind, chunk.doc_id, chunk_header(chunk), *references, chunk.text))


def kept_verdict(decision: ChunkDecision) -> str:
    """Return a verdict with its reason as it is kept; `read_verdict` reads it.

    >>> kept_verdict(ChunkDecision("x", "keep", reason="states the size"))
    'keep states the size'
    """
    return f"{decision.verdict} {decision.reason}".strip()


def read_verdict(text: str) -> ChunkDecision | None:
    """Return a verdict that was kept, without the id of its chunk; None for anything else.

    >>> found = read_verdict("expand_3 its table")
    >>> found and (found.verdict, found.reason), read_verdict("perhaps")
    (('expand_3', 'its table'), None)
    """
    said, _, reason = text.partition(" ")
    found: Verdict | None = next((v for v in get_args(Verdict) if v == said in _VERDICTS), None)
    return ChunkDecision("", found, "reused", reason=reason) if found else None


def read_relevance(text: str) -> float | None:
    """Return a probability that was kept; None for anything else.

    >>> read_relevance("0.75"), read_relevance("nan"), read_relevance("keep")
    (0.75, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None
