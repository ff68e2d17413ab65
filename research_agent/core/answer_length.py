"""How long an answer may be: so many words, unless the question asks for more."""

import re
from collections.abc import Sequence
from dataclasses import replace

from research_agent.core.question_words import QuestionWords, phrases
from research_agent.core.sentences import sentence_spans
from research_agent.core.types import Token

_WHOLE = re.compile(r"^\s*(?:```|~~~|\|)|\|\s*$", re.MULTILINE)
"""Code between fences, or a row of a table."""
_CHARACTER = "[\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_WORD = re.compile(rf"{_CHARACTER}|(?:(?!{_CHARACTER})[^\s\[\]])+")
_MARKER = re.compile(r"\[c\d+(?:\s*,\s*c\d+)*\]", re.IGNORECASE)


def word_count(text: str) -> int:
    """Return the number of words; a character of a script without spaces counts as one.

    >>> word_count("It has 768 bytes [c1]."), word_count("\u5bc6\u94a5 768")
    (4, 3)
    """
    said = _MARKER.sub(" ", text)
    return sum(any(map(str.isalnum, word)) for word in _WORD.findall(said))


def wants_more(question: str, languages: Sequence[QuestionWords]) -> bool:
    """Return whether a question asks for all of something, for its steps, or for details.

    >>> from research_agent.core.question_words import ENGLISH
    >>> wants_more("List all steps.", [ENGLISH]), wants_more("How long is it?", [ENGLISH])
    (True, False)
    """
    return any(phrases(words.at_length).search(question) for words in languages)


def shortened(text: str, most: int) -> str:
    """Return the first sentences of a text, as many as have at most `most` words together.

    The first sentence always stays, and so does a text that holds code or a table. What is left
    begins as the text does.

    >>> shortened("One two three. Four five six. Seven.", 6)
    'One two three. Four five six.'
    """
    if _WHOLE.search(text):
        return text
    words, kept = 0, 0
    for start, end in sentence_spans(text):
        words += word_count(text[start:end])
        if kept and words > most:
            return text[:kept]
        kept = end
    return text


def first_tokens(tokens: Sequence[Token], length: int) -> tuple[Token, ...]:
    """Return the tokens that spell the first `length` characters; the last one may be cut.

    >>> [token.text for token in first_tokens([Token("One", 0.0), Token(" two", 0.0)], 5)]
    ['One', ' t']
    """
    kept: list[Token] = []
    for token in tokens:
        if length <= 0:
            break
        kept.append(
            token if len(token.text) <= length else replace(token, text=token.text[:length])
        )
        length -= len(token.text)
    return tuple(kept)
