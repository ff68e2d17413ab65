"""Which words may stand for each other."""

from collections.abc import Iterator, Mapping
from functools import cache

from research_agent.core.claim_checks.inflection import root
from research_agent.core.claim_checks.synonym_words import SYNONYMS
from research_agent.core.claim_checks.words import UNITS
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.rewrite_words import alternatives


@cache
def groups_of(form: str) -> tuple[str, ...]:
    """Return the names of the groups of synonyms that a form belongs to.

    >>> set(groups_of("metr")) & set(groups_of("m")) > set()
    True
    """
    return tuple(sorted(_groups().get(form, ())))


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for form, name in _members():
        found.setdefault(form, set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


def _members() -> Iterator[tuple[str, str]]:
    """Yield each word's form with the name of a group that it belongs to."""
    listed = (group for words in LANGUAGES[:2] for group in words.synonyms)
    for place, group in enumerate((*listed, *SYNONYMS)):
        yield from ((root(word), f"~{place}") for word in alternatives(group) if " " not in word)
    for place, dimension in enumerate(UNITS):
        for side, group in enumerate(dimension):
            for word in alternatives(group):
                yield word, f"~unit{place}.{side}"
                yield root(word), f"~unit{place}.{side}"
