"""Sentences that nothing supports, written once more with what was wrong, in their own place.

A sentence that was written again is judged by the same checks as any other. One that does not
pass them changes nothing: the first wording stays in the draft, unsupported, and is left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from research_agent.core.answer_language import language_warning
from research_agent.core.asked_value import asked_value
from research_agent.core.claims import Claim, bare, is_shown, read_claims
from research_agent.core.evidence import Evidence
from research_agent.core.passages import explains_nothing
from research_agent.core.refusals import says_missing, without_missing
from research_agent.core.sentences import sentence_spans
from research_agent.core.support import content_words, is_named, names
from research_agent.core.types import Token

DROP = "DROP"
"""What a model replies for a sentence that the evidence does not bear out in any wording."""
MOST = 4
"""Sentences that are asked for again; the others are left out."""
MOST_WORDS = 80
"""A longer sentence is not asked for again: it is a list, or code."""
NEAREST = "the nearest words hold"
"""How the problem of a claim begins that no quote is near to."""
UNSAID = "no chunk says this"
LEAST_SHARED = 0.25
"""Share of its words that a sentence has in common with the question or the first wording."""
_NUMBERED = re.compile(
    r"^[ \t>*-]*[\[(]?(\d{1,2})(?:[.):\]]|[ \t][-\u2013])\**[ \t]+(?=\S)", re.MULTILINE
)
_SIGN = re.compile(r"(?:[-*•]|\d+[.)])\s+")
SENTENCE_ENDS = ".!?\u2026\u3002\uff01\uff1f"
_ENDS = f"{SENTENCE_ENDS}])"


@dataclass(frozen=True, slots=True)
class Faulty:
    """A sentence of a draft that nothing supports, with every place where it stands."""

    claim: Claim
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """A sentence of an answer that was written again."""

    sentence: str
    """As it stands in the answer now, without its markers."""
    first: str = ""
    """As it stood there before, unsupported; empty where a further round wrote the answer, for
    words of drafts of earlier rounds are not told."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a model wrote in place of a sentence: a span of its reply."""

    text: str
    start: int
    end: int


def faulty_sentences(
    text: str, evidence: Sequence[Evidence], *, min_support: float, asked: str = ""
) -> tuple[Faulty, ...]:
    """Return the sentences of a draft that may be mended: unsupported ones that say something.

    >>> from research_agent.core.types import Chunk, Hit
    >>> given = [Evidence("c1", Hit(Chunk("x", "d", "The hose is 5 m long.")))]
    >>> said = "The hose is 5 m long [c1]. The hose is 7 m long [c1]."
    >>> [(one.claim.text, one.spans) for one in faulty_sentences(said, given, min_support=0.5)]
    [('The hose is 7 m long.', ((27, 53),))]
    """
    claims = read_claims(text, (), evidence, min_support=min_support, asked=asked)
    wrong = [claim for claim in claims if not is_shown(claim) and not says_missing(claim.text)]
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end in sentence_spans(text):
        places.setdefault(plain(bare(text[start:end])), []).append((start, end))
    short = [claim for claim in wrong if len(claim.text.split()) <= MOST_WORDS]
    return tuple(Faulty(claim, tuple(places[plain(claim.text)])) for claim in short[:MOST])


def listed_problems(faulty: Sequence[Faulty]) -> str:
    """Return the sentences under their numbers, each with what is wrong, as a model reads them.

    >>> claim = Claim("The hose is red.", problem="the nearest words hold 30% of it")
    >>> listed_problems([Faulty(claim, ())])
    '1. The hose is red. (Wrong: no chunk says this.)'
    """
    return "\n".join(
        f"{number}. {' '.join(one.claim.text.split())} (Wrong: {_stated(one.claim.problem)}.)"
        for number, one in enumerate(faulty, 1)
    )


def _stated(problem: str) -> str:
    """Return a problem in words that tell a model something."""
    return UNSAID if not problem or problem.startswith(NEAREST) else problem


def read_rewritten(reply: str, count: int, *, cut: bool = False) -> dict[int, Rewritten]:
    r"""Return the sentences in a reply by their number, from 1; numbers nobody gave are left out.

    Of each line the first sentence counts, and of two with one number the first. A single
    sentence needs no number. With `cut` the last line is left out unless it has an end.

    >>> found = read_rewritten("1. It is 5 m [c1].\n2: DROP\n7. What?", 2)
    >>> [(number, one.text) for number, one in found.items()]
    [(1, 'It is 5 m [c1].'), (2, 'DROP')]
    >>> read_rewritten("It is 5 m [c1]. So it is.", 1)[1]
    Rewritten(text='It is 5 m [c1].', start=0, end=15)
    """
    found: dict[int, Rewritten] = {}
    for number, start, end in _numbered(reply, count):
        spans = sentence_spans(reply[start:end])
        if not spans or not 1 <= number <= count or number in found:
            continue
        first, last = start + spans[0][0], start + spans[0][1]
        text = reply[first:last]
        if cut and last == len(reply.rstrip()) and text[-1] not in _ENDS:
            continue
        found[number] = Rewritten(text, first, last)
    return found


def _numbered(reply: str, count: int) -> Iterator[tuple[int, int, int]]:
    """Yield number, start and end of each line of a reply."""
    signs = list(_NUMBERED.finditer(reply))
    if not signs and count == 1:
        yield 1, 0, len(reply)
    for sign in signs:
        end = reply.find("\n", sign.end())
        yield int(sign[1]), sign.end(), len(reply) if end < 0 else end


def may_replace(  # noqa: PLR0913 (keyword-only settings)
    sentence: str,
    first: Claim,
    *,
    question: str,
    draft: str,
    evidence: Sequence[Evidence],
    min_support: float,
    min_new: float,
) -> bool:
    """Return whether a sentence may stand where `first` stood in the `draft`.

    It has to be one sentence that the evidence supports, new to the draft, about the same thing,
    in the language of the question, and it must not only turn the question's words around.
    """
    words = bare(sentence)
    said = {plain(bare(draft[start:end])) for start, end in sentence_spans(draft)}
    if not any(map(str.isalnum, words)) or words.strip(" .") == DROP or plain(words) in said:
        return False
    read = read_claims(sentence, (), evidence, min_support=min_support, asked=question)
    claims = without_missing(read)
    if len(claims) != 1 or not is_shown(claims[0]) or says_missing(words):
        return False
    circles = not asked_value(question) and explains_nothing(question, [words], least=min_new)
    return not circles and _is_about(words, question, first.text) and not _is_foreign(words, first)


def _is_about(words: str, question: str, first: str) -> bool:
    """Return whether a sentence has enough words of the question or of the first wording.

    Where the first wording names what the question names, one of these names has to stay: the
    value of another thing, however true, is no answer.
    """
    named = [name for name in names(question) if is_named(name, first)]
    if named and not any(is_named(name, words) for name in named):
        return False
    own = content_words(words)
    shared = own & (content_words(question) | content_words(first))
    return len(shared) >= LEAST_SHARED * len(own)


def _is_foreign(words: str, first: Claim) -> bool:
    return bool(language_warning(first.text, words))


def plain(words: str) -> str:
    """Return words as they are compared: without the size of letters, and on one line.

    >>> plain("The  Hose")
    'the hose'
    """
    return " ".join(words.casefold().split())


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


def marked(claims: Sequence[Claim], repairs: Sequence[Repair]) -> tuple[Claim, ...]:
    """Return claims of which those that were written again say so, with their first wording.

    One that is not shown is not mended.

    >>> said = Claim("It is 5 m.", verdict="supported")
    >>> marked([said], [Repair("It is 5 m.", "It is 7 m.")])[0].first
    'It is 7 m.'
    """
    first = {plain(repair.sentence): repair.first for repair in repairs}
    return tuple(
        replace(claim, repaired="reasked", first=first[plain(claim.text)])
        if plain(claim.text) in first and is_shown(claim)
        else claim
        for claim in claims
    )
