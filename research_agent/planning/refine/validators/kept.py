"""Whether a proposed query keeps what the question names: numbers, units, names, quoted texts.

All of it is compared as strings. A changed negation or relation is not seen here: that takes
someone who reads (`refinement.same_question`).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from research_agent.planning.refine.validators.named import Named, Number, is_identifier, read
from research_agent.text.content_words import is_made_up
from research_agent.text.quantities import lowered
from research_agent.text.words import word_spans
from research_agent.types.proposals import HOP
from research_agent.types.validation import Accept, Block, Ruling

VALIDATOR = "kept words"
LEAST_COMMON, COMMON_SHARE, ENDING = 4, 0.6, 2
"""Two words are forms of one name where they begin with so many letters in common, and with this
share of the longer one; or where one has so many letters more than the other at most."""


def check_kept(
    question: str, queries: Sequence[str], *, translated: bool = False
) -> tuple[Ruling, ...]:
    """Return for each of `queries` whether together they keep what `question` names.

    Numbers, units, identifiers, quoted texts and names have to be somewhere in them: what none has
    is charged to each. A name may be added, because documents may call the thing by it; a number
    may only be added as part of such a name. A translation need not keep names that are words.

    >>> check_kept("Who paid after 30 days?", ["Who paid after 30 weeks?"])[0].reason
    'another unit: 30 duration-day'
    >>> [r.ruling for r in check_kept("Is RSA or AES older?", ["age of RSA", "age of AES"])]
    ['accept', 'accept']
    >>> check_kept("Is RSA or AES older?", ["How old is the RSA?"])[0].reason
    'missing: AES'
    """
    asked = read(question)
    found = [read(HOP.sub(" ", query)) for query in queries]
    missing = [*_missing_numbers(asked, found)]
    missing += [
        name
        for name in asked.names
        if (not translated or is_identifier(name))
        and not any(_holds(one, name) or _shortens(one, name, asked) for one in found)
    ]
    if not translated:
        missing += [q for q in asked.quotes if not any(q in one.text for one in found)]
    lost = asked.ideographs.difference(*(one.ideographs for one in found))
    reasons = [f"missing: {', '.join(missing)}"] * bool(missing)
    units = _changed_units(asked, found)
    reasons += [f"another unit: {', '.join(units)}"] * bool(units)
    return tuple(_ruled(asked, one, reasons, frozenset() if translated else lost) for one in found)


def check_added(queries: Sequence[str], known: frozenset[str]) -> tuple[Ruling, ...]:
    """Return for each of `queries` whether the question or what was read has all that it names.

    `known` are the words of both. So a later round may search for a part of the question, and by
    the name that the documents have for a thing; what stands nowhere was made up.

    >>> known = frozenset({"kyber", "ml-kem", "bytes"})
    >>> [ruling.reason for ruling in check_added(["bytes of ML-KEM", "bytes of RSA"], known)]
    ['', 'stands in nothing that was read: RSA']
    """
    found = []
    for query in queries:
        text = HOP.sub(" ", query)
        words = [text[start:end] for start, end in word_spans(text)]
        named = [*read(text).names, *(word for word in words if any(map(str.isdigit, word)))]
        new = ", ".join(dict.fromkeys(word for word in named if is_made_up(word, known)))
        why = f"stands in nothing that was read: {new}"
        found.append(Block(VALIDATOR, why) if new else Accept(VALIDATOR))
    return tuple(found)


def _ruled(asked: Named, found: Named, reasons: Sequence[str], lost: frozenset[str]) -> Ruling:
    known = {number.value for number in asked.numbers}
    new = [n.value for n in found.numbers if n.value not in known and not _is_new_name(n, asked)]
    gained = found.ideographs - asked.ideographs
    if reasons:
        return Block(VALIDATOR, reasons[0])
    if new:
        return Block(VALIDATOR, f"a number was added: {', '.join(new)}")
    if lost and gained:
        return Block(VALIDATOR, f"{''.join(sorted(lost))} became {''.join(sorted(gained))}")
    return Accept(VALIDATOR)


def _is_new_name(number: Number, asked: Named) -> bool:
    """Return whether a number is part of a name that the question does not have in any form."""
    return bool(number.name) and number.name not in asked.text


def _missing_numbers(asked: Named, found: Sequence[Named]) -> Iterator[str]:
    kept = {number.value for one in found for number in one.numbers}
    named = [name for name in asked.names if is_identifier(name)]
    for number in dict.fromkeys(asked.numbers):
        if number.value not in kept and not any(number.value in name for name in named):
            yield number.value


def _changed_units(asked: Named, found: Sequence[Named]) -> list[str]:
    """Return the numbers that stand with another unit wherever they stand."""
    changed = []
    for number in dict.fromkeys(asked.numbers):
        others = [n.units for one in found for n in one.numbers if n.value == number.value]
        if number.units and others and all(u and not u & number.units for u in others):
            changed.append(f"{number.value} {min(number.units)}")
    return changed


def _holds(found: Named, name: str) -> bool:
    """Return whether a text has a name, in one of its forms, in full or by its initials."""
    parts = re.findall(r"\d+|[^\W\d_]+", lowered(re.sub(r"(?<=[A-Z])s$", "", name)))
    spelled = r"[\W_]*".join(map(re.escape, parts))
    if re.search(rf"(?<![^\W_]){spelled}s?(?![^\W_])", found.text):
        return True
    if name.isupper() and name in found.initials:
        return True
    return not is_identifier(name) and any(
        _is_form(lowered(name), word) for word in re.findall(r"[^\W\d_]+", found.text)
    )


def _shortens(found: Named, name: str, asked: Named) -> bool:
    """Return whether a text has the initials of the names that `name` stands among."""
    return any(one in asked.initials and name[0] in one for one in found.names)


def _is_form(name: str, word: str) -> bool:
    """Return whether two words may be forms of one name.

    >>> _is_form("portugal", "portuguese"), _is_form("austria", "australia")
    (True, False)
    """
    short, long = sorted((name, word), key=len)
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False))
    common = sum(1 for _ in alike)
    if common == len(short) >= LEAST_COMMON - 1 and len(long) - len(short) <= ENDING:
        return True
    return common >= max(LEAST_COMMON, COMMON_SHARE * len(long))
