"""Log-probabilities as servers list them, read into tokens that lie on the reply's text.

Every server that gives them writes one object a token: `token`, `logprob`, `bytes` and
`top_logprobs`. What differs, and is settled here: control tokens between the others, entries
without text, characters that are spread over several tokens, lists that end early.
"""

import codecs
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from research_agent.types import Alternative, Token

CONTROL = re.compile(r"<\|.*\|>")

Entry = Mapping[str, object]


def read_tokens(entries: Iterable[Entry], text: str) -> tuple[Token, ...]:
    """Return the tokens of the reply `text`; none where the entries do not make up all of it.

    A part of the tokens would measure the uncertainty of a part of the reply. Where `text` is
    empty the tokens are taken as they are: they are the reply. Space at both ends does not count,
    because servers strip the text but not the tokens.
    """
    tokens = tuple(_tokens(entries))
    joined = "".join(token.text for token in tokens)
    return tokens if not text.strip() or joined.strip() == text.strip() else ()


def entries_under(owner: object, key: str) -> Sequence[Entry]:
    """Return the objects listed under `key`; none where a server wrote something else."""
    listed = owner.get(key) if isinstance(owner, Mapping) else None
    if not isinstance(listed, (list, tuple)):
        return []
    return [item for item in listed if isinstance(item, Mapping)]


def _tokens(entries: Iterable[Entry]) -> Iterator[Token]:
    """Read the entries; those that are parts of one character become one token.

    Its log-probability is their sum, and it has no alternatives, which would be bytes.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    written, total, parts = "", 0.0, 0
    for entry in entries:
        piece, logprob = _bytes(entry), _number(entry.get("logprob"))
        if not piece or logprob is None:
            continue
        written, total, parts = written + decoder.decode(piece), total + logprob, parts + 1
        if decoder.getstate()[0]:
            continue
        yield Token(written, total, tuple(_alternatives(entry)) if parts == 1 else ())
        written, total, parts = "", 0.0, 0


def _bytes(entry: Entry) -> bytes:
    """Return what a token adds to the text; nothing for control tokens and entries without text.

    The token's own text counts, but where its bytes are a part of a character.
    """
    text, listed = entry.get("token"), entry.get("bytes")
    if not isinstance(text, str) or CONTROL.fullmatch(text):
        return b""
    plain = text.encode("utf-8", "replace")
    try:
        raw = bytes(listed) if isinstance(listed, (list, tuple)) else b""
        raw.decode()
    except UnicodeDecodeError:
        return raw
    except (TypeError, ValueError):
        return plain
    return plain or raw


def _alternatives(entry: Entry) -> Iterator[Alternative]:
    for top in entries_under(entry, "top_logprobs"):
        text, logprob = top.get("token"), _number(top.get("logprob"))
        if isinstance(text, str) and logprob is not None:
            yield Alternative(text, logprob)


def _number(value: object) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
