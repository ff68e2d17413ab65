"""Sentences of an answer that are written again, in their own place."""

import re
from collections.abc import Sequence
from dataclasses import replace

from research_agent.text.sentences import sentence_spans
from research_agent.types import Token
from research_agent.types.claims import bare

SENTENCE_ENDS = ".!?\u2026\u3002\uff01\uff1f"
_SIGN = re.compile(r"(?:[-*•]|\d+[.)])\s+")

Change = tuple[int, int, str, tuple[Token, ...]]
"""Start and end of a span, what takes its place, and the tokens of that."""


def rewritten(
    text: str, tokens: Sequence[Token], changes: Sequence[Change]
) -> tuple[str, tuple[Token, ...]]:
    """Return a text with spans of it replaced, and the tokens of the whole.

    What a list begins a sentence with stays, and a new sentence that would run into what follows
    gets a full stop. Where the tokens spell the text before, they spell
    it afterwards; where they do not, those of the new sentences stand behind the old ones.

    >>> rewritten("A b. C.", [Token("A b.", 0.0), Token(" C.", 0.0)], [(0, 4, "D.", ())])[0]
    'D. C.'
    """
    spelled = "".join(token.text for token in tokens) == text
    parts: list[str] = []
    own: list[Token] = []
    at = 0
    for start, end, new, new_tokens in sorted(changes, key=lambda change: change[0]):
        sign = _SIGN.match(text, start, end) if new else None
        begin = sign.end() if sign else start
        stop = _stop_behind(new, text[end:])
        parts += [text[at:begin], new, stop]
        own += token_slice(tokens, at, begin)
        own += new_tokens or ([Token(new, 0.0)] if new else [])
        own += [Token(stop, 0.0)] if stop else []
        at = end
    parts.append(text[at:])
    own += token_slice(tokens, at, len(text))
    if spelled or not tokens:
        return "".join(parts), tuple(own) if tokens else ()
    more = (token for change in changes for token in change[3])
    return "".join(parts), (*tokens, *more)


def _stop_behind(new: str, following: str) -> str:
    """Return the full stop that a sentence lacks in front of what follows; empty where none is."""
    ended = not new or bare(new)[-1:] in SENTENCE_ENDS or not following.strip()
    if ended or (0, len(new)) in sentence_spans(new + following):
        return ""
    return "." if following[0].isspace() else "\u3002"


def token_slice(tokens: Sequence[Token], start: int, end: int) -> tuple[Token, ...]:
    """Return the tokens that spell a span of the text that all spell.

    Of a token that lies across an end, the part inside is kept; it is scored where the part
    outside is nothing but white space.

    >>> [token.text for token in token_slice([Token("A", 0.0), Token(" bc", 0.0)], 2, 4)]
    ['bc']
    """
    found, left = [], 0
    for token in tokens:
        size = len(token.text)
        first, last = max(start - left, 0), min(end - left, size)
        left += size
        if first >= last:
            continue
        part, outside = token.text[first:last], token.text[:first] + token.text[last:]
        whole = not outside.strip()
        found.append(replace(token, text=part) if whole else Token(part, 0.0))
    return tuple(found)
