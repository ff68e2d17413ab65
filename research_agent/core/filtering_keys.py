"""Under which keys verdicts on single chunks are kept, and how they are written down."""

from collections.abc import Sequence
from hashlib import sha256
from typing import get_args

from research_agent.core.chunking import chunk_header
from research_agent.core.filtering import Verdict
from research_agent.core.types import Chunk

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


def read_verdict(text: str) -> Verdict | None:
    """Return a verdict that was kept; None for anything else.

    >>> read_verdict("expand_3"), read_verdict("perhaps")
    ('expand_3', None)
    """
    return next((verdict for verdict in get_args(Verdict) if verdict == text in _VERDICTS), None)


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
