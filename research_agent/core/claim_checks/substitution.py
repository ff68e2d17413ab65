"""A word of a copied sentence that was exchanged for another thing of the same chunk."""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.pairing import covering
from research_agent.core.claim_checks.reading import Statement, Word

COPIED = 0.75
"""Share of a sentence's words from which on it counts as copied."""
PRONOUNS = frozenset(
    ["it", "they", "this", "these", "he", "she", "them", "ia", "mereka", "它", "他"]
)
"""Words of the evidence for which a sentence may name what they stand for."""
CLASSES = frozenset(
    ["country", "city", "town", "village", "state", "region", "island", "company", "firm",
     "organization", "institution", "university", "school", "college", "team", "club", "band",
     "group", "film", "movie", "album", "song", "book", "novel", "series", "species", "animal",
     "plant", "person", "man", "woman", "author", "scheme", "standard", "document", "algorithm",
     "system", "building", "bridge", "river", "mountain", "area", "thing", "latter", "former"]
)  # fmt: skip
"""Words for the class of a thing, by which the evidence may call it."""
LONGEST = 3
"""Words that are exchanged at once."""


def replaced(both: Compared) -> str:
    """Return what a copied sentence has in the place of other words; empty where nothing.

    Words that stand nowhere else in the chunk may be another way of saying it.

    >>> from research_agent.core.claim_checks.reading import read
    >>> quoted = read("Alice sends the wrapped key to the bank at noon.")
    >>> said = read("Alice sends the wrapped key to the court at noon.")
    >>> replaced(Compared(said, quoted, "The court and the bank are closed."))
    'the evidence says "bank" where it says "court"'
    """
    within = covering(both.said, both.quoted) or range(len(both.quoted.words))
    own = _saying(both.said)
    theirs = [i for i in _saying(both.quoted) if i in within]
    one, other = [both.said.words[i].form for i in own], [both.quoted.words[i].form for i in theirs]
    if any(both.quoted.words[i].text in PRONOUNS for i in within):
        return ""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    blocks = matcher.get_matching_blocks()
    if not one or sum(block.size for block in blocks) / len(one) < COPIED:
        return ""
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "replace" or b - a > LONGEST or d - c > LONGEST:
            continue
        new, old = set(one[a:b]) - set(other), set(other[c:d]) - set(one)
        words = [both.said.words[own[i]] for i in range(a, b)]
        strange = [w for w in words if w.form in new and both.context.at(w.form) and not w.value]
        old -= {other.form for other in both.quoted.words if _has_note(other.text, words)}
        akin = any(i in within for word in words for i in both.quoted.like(word))
        akin = akin or (a == 0 and _opens(both.quoted, within, words))
        standing = any(both.quoted.words[theirs[i]].text in CLASSES for i in range(c, d))
        if strange and old and not akin and not standing:
            text = " ".join(both.quoted.words[theirs[i]].text for i in range(c, d))
            return f'the evidence says "{text}" where it says "{strange[0].text}"'
    return ""


def _opens(statement: Statement, within: Iterable[int], words: Sequence[Word]) -> bool:
    """Return whether the sentences of some places begin with some words: their subject."""
    sentences = {statement.words[i].sentence for i in within}
    for sentence in sentences:
        saying = [i for i in _saying(statement) if statement.words[i].sentence == sentence]
        if [statement.words[i].form for i in saying[: len(words)]] == [w.form for w in words]:
            return True
    return False


def _has_note(text: str, words: Sequence[Word]) -> bool:
    """Return whether a word of the evidence is one of some words with a footnote's number."""
    return any(text != word.text and text.rstrip("0123456789") == word.text for word in words)


def _saying(statement: Statement) -> list[int]:
    return [i for i, word in enumerate(statement.words) if word.content or word.value]
