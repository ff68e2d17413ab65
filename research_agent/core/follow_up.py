"""A question that leans on the one before it, completed by rules as far as they are sure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from research_agent.core.conversation import FollowUp
from research_agent.core.follow_up_words import FOLLOW_UPS, FollowUpWords
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.reading import Item, language_of, read

MOST_FRAGMENT = 5
"""Words that say something in a question that takes the rest from the one before."""
SHORT = 5
"""A word that is no longer has no ending that points back."""
ENDS = " ?!.,;:\u3002\uff1f\uff0c"


@dataclass(frozen=True, slots=True)
class Said:
    """A turn before: its question by itself, and its answer."""

    question: str
    answer: str = ""


def follow_up(text: str, before: Sequence[Said]) -> FollowUp:
    """Return the question that stands for `text` by itself after the turns `before`.

    It is "new" where nothing in it points back. Where something does and more than one thing, or
    none, can be meant, it is "context": the topic of the question before stands behind it.

    >>> asked = [Said("How many bytes has an ML-KEM-768 key?")]
    >>> follow_up("and for ML-KEM-512?", asked).question
    'How many bytes has an ML-KEM-512 key?'
    >>> follow_up("How fast is it?", asked).question
    'How fast is ML-KEM-768?'
    >>> follow_up("What is bread?", asked).how
    'new'
    """
    if not before:
        return FollowUp(text, text)
    leaning = _Leaning(text, before, _words(text, before[-1].question))
    found = leaning.completed()
    if found is None:
        return FollowUp(text, text)
    question, reason = found
    if question:
        return FollowUp(text, question, "rules", reason)
    topic = leaning.topic()
    return FollowUp(text, f"{text.rstrip()} ({topic})" if topic else text, "context", reason)


def _words(text: str, previous: str) -> FollowUpWords:
    known = language_of(text, LANGUAGES) or language_of(previous, LANGUAGES)
    name = known.language if known else ""
    return next((words for words in FOLLOW_UPS if words.language == name), FOLLOW_UPS[0])


@dataclass(frozen=True, slots=True)
class _Leaning:
    """A question that may point back, and what it may point to."""

    text: str
    before: Sequence[Said]
    words: FollowUpWords

    def completed(self) -> tuple[str, str] | None:
        """Return the whole question and why; an empty one where rules are not sure; or None."""
        if self._matches(self.words.others):
            return self._other()
        rest = self._rest()
        if rest:
            return self._in_place_of(rest)
        if self._own_names():
            return None
        return self._pointing()

    def topic(self) -> str:
        """Return what the question before was about, in its own words.

        Its names, but not beside those of this question: that may be about another thing.
        """
        names, own = _names(self._previous()), self._own_names()
        if names and not own:
            return ", ".join(names)
        items = _read(self._previous())
        return " ".join(item.text for item in items if item.content and not item.name)

    def _previous(self) -> str:
        return self.before[-1].question

    def _own_names(self) -> tuple[str, ...]:
        return _names(self.text)

    def _matches(self, phrases: Sequence[str]) -> re.Match[str] | None:
        return _pattern(tuple(phrases), spaced=self.words.spaced).search(self.text)

    def _rest(self) -> str:
        """Return what an elliptic question names; empty where it is a whole question."""
        plain = self.text.strip(ENDS)
        folded = plain.casefold()
        gap = " " if self.words.spaced else ""
        opener = next((o for o in self.words.openers if folded.startswith(o + gap)), "")
        closer = next((c for c in self.words.closers if folded.endswith(c)), "")
        rest = plain[len(opener) :].removesuffix(closer).strip(ENDS) if opener or closer else ""
        if not rest and _is_one_name(plain) and _names(self._previous()):
            rest = plain
        first = rest.casefold()
        whole = any(first == a or first.startswith(a + gap) for a in self.words.asking)
        pointing = self._pronouns()
        content = [item for item in _read(rest) if item.content]
        if whole or len(content) > MOST_FRAGMENT or not content or (pointing and not _names(rest)):
            return ""
        return rest

    def _in_place_of(self, rest: str) -> tuple[str, str]:
        """Return the question before with `rest` in the place of what it was about."""
        previous, new = self._previous(), _names(rest)
        old = [name for name in _names(previous) if name not in new]
        if new and old:
            target = _most_alike(new[0], old)
            said = {item.text for item in _read(previous)}
            more = [i for i in _read(rest) if i.content and not i.name and i.text not in said]
            sure = target and len(new) == 1 and not more
            whole = _put(previous, target, new[0]) if sure else ""
            return whole, f"asks the question before of {rest}"
        shared = self._shared(rest)
        if shared:
            return _put(previous, shared, rest), f"asks the question before of {rest}"
        return "", f"the question before has no place for {rest!r}"

    def _shared(self, rest: str) -> str:
        """Return the one word of `rest` that the question before has too; empty without one.

        Nor where another word stands right before it there: that one may belong to it, as in
        "wheat bread", or not, as in "bake bread".
        """
        own = {item.text for item in _read(rest) if item.content}
        items = _read(self._previous())
        both = [at for at, item in enumerate(items) if item.content and item.text in own]
        if len(both) != 1 or len(own) == 1 or (both[0] and items[both[0] - 1].content):
            return ""
        return items[both[0]].text

    def _other(self) -> tuple[str, str]:
        """Return the question before, of the other thing the conversation was about."""
        previous = _names(self._previous())
        said = [name for said in self.before for name in _names(said.question)]
        others = [name for name in dict.fromkeys(said) if name not in previous]
        if len(previous) != 1 or len(others) != 1:
            told = ", ".join(others) or "nothing"
            return "", f"the other one may be: {told}"
        match = self._matches(self.words.others)
        plain = self.text.strip(ENDS).casefold()
        elliptic = match and self._is_opener(plain[: match.start()].strip(ENDS))
        reason = f"the other one is {others[0]}"
        if elliptic:
            return _put(self._previous(), previous[0], others[0]), reason
        return (self._replaced(match, others[0]) if match else ""), reason

    def _is_opener(self, text: str) -> bool:
        return not text or text in self.words.openers

    def _pronouns(self) -> re.Match[str] | None:
        words = self.words
        return self._matches((*words.possessive, *words.plural, *words.singular))

    def _pointing(self) -> tuple[str, str] | None:
        """Return the question with a name for the word that points back."""
        match = self._pronouns()
        if match is None:
            return self._silent()
        if self._is_bound(self.text[: match.start()]):
            return None
        found, word = self._meant(), match.group().casefold()
        plural = word in self.words.plural
        if len(found) not in ((1, 2) if plural else (1,)):
            return "", f"{word!r} may be: {', '.join(found) or 'nothing that has a name'}"
        name = self.words.both.format(*found) if len(found) > 1 else found[0]
        put = self.words.owner.format(name) if word in self.words.possessive else name
        return self._replaced(match, put), f"{word!r} is {name}"

    def _silent(self) -> tuple[str, str] | None:
        """Judge a question that names nothing and has no word that points back."""
        items = [item for item in _read(self.text) if item.text not in self.words.asking]
        endings = self.words.endings
        points = any(item.text.endswith(endings) for item in items if len(item.text) > SHORT)
        if points or not any(item.content or item.number for item in items):
            return "", "it names nothing by itself"
        return None

    def _meant(self) -> tuple[str, ...]:
        """Return the names of the question before; of its answer where it had none."""
        return _names(self._previous()) or _names(self.before[-1].answer)

    def _is_bound(self, front: str) -> bool:
        """Return whether the question itself names what the word points back to."""
        articles = _pattern(self.words.articles, spaced=self.words.spaced)
        match = articles.search(front) if self.words.articles else None
        return bool(match and any(item.content for item in _read(front[match.end() :])))

    def _replaced(self, match: re.Match[str], put: str) -> str:
        return f"{self.text[: match.start()]}{put}{self.text[match.end() :]}"


def _read(text: str) -> tuple[Item, ...]:
    return read(text, language_of(text, LANGUAGES) or LANGUAGES[0]).items


def _names(text: str) -> tuple[str, ...]:
    """Return the names in a text as it writes them, each once.

    >>> _names("How large is the ML-KEM-768 key of NIST?")
    ('ML-KEM-768', 'NIST')
    """
    found = [_written(text, item.text) for item in _read(text) if item.name]
    return tuple(dict.fromkeys(name for name in found if name))


def _written(text: str, folded: str) -> str:
    """Return a word as `text` writes it; empty where folding has changed more than its case."""
    match = re.search(re.escape(folded), text, re.IGNORECASE)
    return match.group() if match else ""


def _is_one_name(text: str) -> bool:
    items = _read(text)
    return len(items) == 1 and items[0].name


def _most_alike(name: str, others: Sequence[str]) -> str:
    """Return the one of `others` that begins most like `name`; empty where two do.

    >>> _most_alike("ML-KEM-512", ["NIST", "ML-KEM-768"])
    'ML-KEM-768'
    """
    if len(others) == 1:
        return others[0]
    lengths = [(_common(name.casefold(), other.casefold()), other) for other in others]
    best = max(length for length, _ in lengths)
    first = [other for length, other in lengths if length == best]
    return first[0] if best and len(first) == 1 else ""


def _common(one: str, other: str) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def _put(text: str, old: str, new: str) -> str:
    """Return `text` with `new` in every place of `old`."""
    return re.sub(re.escape(old), lambda _: new, text, flags=re.IGNORECASE)


def _pattern(phrases: tuple[str, ...], *, spaced: bool) -> re.Pattern[str]:
    """Return the pattern that finds any of the phrases; what never matches where there are none."""
    longest = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    body = "|".join(re.escape(phrase) for phrase in longest) or "(?!)"
    return re.compile(rf"\b(?:{body})\b" if spaced else body, re.IGNORECASE)
