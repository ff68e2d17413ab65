"""Whether proposed queries may be searched: kept strings, similarity, what they find.

Each is compared with the user's own question, never with the query of a round before. A changed
negation or relation is not seen.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import commonprefix

from research_agent.planning.refine.names import Named, is_identifier, lowered, read
from research_agent.planning.refine.proposals import Proposal
from research_agent.planning.tool_calls.ranking import HOP
from research_agent.text.content_words import is_made_up
from research_agent.text.words import word_spans
from research_agent.types.refinement import Accept, Block, QueryVerdict, Refinement, Ruling

STRINGS, SIMILARITY, RETRIEVAL = "kept words", "similarity", "retrieval"
LEAST_COMMON, COMMON_SHARE, ENDING = 4, 0.6, 2
"""Two words are forms of one name where their common beginning has at least 4 letters and this
share of the longer one; or where one is the other with at most 2 letters more."""
FITTED = {"all-MiniLM-L6-v2-int8": 0.4}
"""Least cosine of a rewritten query, by embedding model; its vocabulary is English, so that
questions in scripts other than Latin are not judged."""
UNFITTED = 0.7
"""The same for other models: seed system 1's value."""
LATIN_END = 0x250
"""The first character behind the Latin letters of Unicode's first blocks."""
MARGIN = 0.15
"""Cosine by which a query's best hit may be less similar than the question's."""
MIN_OVERLAP = 0.2
"""Least share of the sources that question and rewritten query find in common (Jaccard) ..."""
IMPROVEMENT = 0.05
"""... unless the query's best hit is this much more similar (cosine)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one query finds."""

    top: float = 0.0
    """The best dense similarity."""
    sources: frozenset[str] = frozenset()
    """The documents of the best hits; their chunks where all are of one document."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What is known of one proposed query."""

    similarity: float
    """Its cosine to the question."""
    found: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """What proposals for one question are held to."""

    question: str
    own: Finding = Finding()
    """What the question itself finds."""
    model: str = ""
    """The embedding model's name."""
    min_similarity: float = -1.0
    """Least cosine of a rewritten query; -1: the one fitted to the embedding model."""
    known: frozenset[str] | None = None
    """In a later round: the words of the question and of what was read."""


def judge(proposal: Proposal, measured: Sequence[Measures], standard: Standard) -> Refinement:
    """Let those proposed queries through that no validator blocks; `measured` is of each in order.

    In a later round a query need not keep all of the question, and may name what was read.
    """
    question, queries = standard.question, proposal.queries
    rulings: list[tuple[Ruling, ...]]
    if proposal.kind == "translate":
        rulings = [check_kept(question, [query], translated=True) for query in queries]
    elif standard.known is not None:
        rulings = _parts(check_added(queries, standard.known), queries, measured, standard.own)
    elif proposal.kind == "decompose":
        rulings = _parts(check_kept(question, queries), queries, measured, standard.own)
    else:
        rulings = [
            (
                *check_kept(question, [query]),
                check_similarity(standard, one.similarity),
                check_retrieval(standard.own, one.found),
            )
            for query, one in zip(queries, measured, strict=True)
        ]
    verdicts = tuple(
        QueryVerdict(query, one.similarity, one.found.top, first_block(said), said)
        for query, one, said in zip(queries, measured, rulings, strict=True)
    )
    passed = tuple(verdict.query for verdict in verdicts if not verdict.blocked)
    if all(proposal.kind == "decompose" and HOP.search(query) for query in passed):
        return Refinement("keep", (question,), "every proposed query was blocked", verdicts)
    reason = f"{len(passed)} of {len(verdicts)} proposed queries passed"
    return Refinement(proposal.kind, (question, *passed), reason, verdicts)


def with_following(refinement: Refinement) -> Refinement:
    """Let hits of a model's queries come last where nothing says that they find more.

    Those are parts that can be searched by themselves, and other words whose best hit is not
    `IMPROVEMENT` more similar than the question's (docs/results.md).
    """
    apart: tuple[str, ...] = ()
    if refinement.kind == "decompose":
        apart = tuple(query for query in refinement.queries[1:] if not HOP.search(query))
    elif refinement.kind in ("rewrite", "disambiguate"):
        better = {verdict.query for verdict in refinement.verdicts if _finds_better(verdict)}
        apart = tuple(query for query in refinement.queries[1:] if query not in better)
    return replace(refinement, following=apart)


def first_block(rulings: Sequence[Ruling]) -> str:
    """Return the reason of the first Block, empty where there is none."""
    return next((ruling.reason for ruling in rulings if isinstance(ruling, Block)), "")


def check_kept(
    question: str, queries: Sequence[str], *, translated: bool = False
) -> tuple[Ruling, ...]:
    """Return for each of `queries` whether together they keep what `question` names.

    Numbers, units, identifiers, quoted texts and names have to be somewhere in them: what none has
    is charged to each. A name may be added, because documents may call the thing by it; a number
    may only be added as part of such a name. A translation need not keep names that are words.

    >>> check_kept("Who paid after 30 days?", ["Who paid after 30 weeks?"])[0].reason
    'another unit: 30 duration-day'
    """
    asked = read(question)
    found = [read(HOP.sub(" ", query)) for query in queries]
    missing = [*_missing_numbers(asked, found)]
    missing += [
        name
        for name in asked.names
        if (not translated or is_identifier(name))
        and not any(_has_name(one, name) or _shortens(one, name, asked) for one in found)
    ]
    if not translated:
        missing += [q for q in asked.quotes if not any(q in one.text for one in found)]
    units = _changed_units(asked, found)
    reason = f"another unit: {', '.join(units)}" if units else ""
    reason = f"missing: {', '.join(missing)}" if missing else reason
    lost = asked.ideographs.difference(*(one.ideographs for one in found))
    return tuple(
        Block(STRINGS, why) if why else Accept(STRINGS)
        for why in (
            reason or _added(asked, one, frozenset() if translated else lost) for one in found
        )
    )


def check_added(queries: Sequence[str], known: frozenset[str]) -> tuple[Ruling, ...]:
    """Return for each of `queries` whether it names only what is `known` from question or texts."""
    rulings: list[Ruling] = []
    for query in queries:
        text = HOP.sub(" ", query)
        words = [text[start:end] for start, end in word_spans(text)]
        named = [*read(text).names, *(word for word in words if any(map(str.isdigit, word)))]
        new = ", ".join(dict.fromkeys(word for word in named if is_made_up(word, known)))
        why = f"stands in nothing that was read: {new}"
        rulings.append(Block(STRINGS, why) if new else Accept(STRINGS))
    return tuple(rulings)


def check_similarity(standard: Standard, similarity: float) -> Ruling:
    """Block a query whose cosine to the question is too low."""
    model, least = standard.model, standard.min_similarity
    least = FITTED.get(model, UNFITTED) if least < 0 else least
    figures = {"similarity": similarity, "threshold": least}
    letters = [char for char in standard.question if char.isalpha()]
    latin = sum(ord(char) < LATIN_END for char in letters) * 2 > len(letters)
    if model in FITTED and not latin:
        return Accept(SIMILARITY, f"{model} does not read this script", figures)
    if similarity < least:
        reason = f"asks something else: similarity {similarity:.2f} < {least:.2f}"
        return Block(SIMILARITY, reason, figures)
    return Accept(SIMILARITY, figures=figures)


def check_retrieval(own: Finding, found: Finding, *, same_question: bool = True) -> Ruling:
    """Block a query that finds worse, or other sources without finding better.

    A part of the question (not `same_question`) may find its own sources.
    """
    either = own.sources | found.sources
    overlap = len(own.sources & found.sources) / len(either) if either else 0.0
    figures = {"own": own.top, "found": found.top, "margin": MARGIN, "overlap": overlap}
    if found.top < own.top - MARGIN:
        reason = f"finds worse: {found.top:.2f} < {own.top:.2f} - {MARGIN:.2f}"
        return Block(RETRIEVAL, reason, figures)
    if overlap >= MIN_OVERLAP or not same_question:
        return Accept(RETRIEVAL, figures=figures)
    if found.top >= own.top + IMPROVEMENT:
        return Accept(RETRIEVAL, "other sources, but better ones", figures)
    reason = f"finds other sources and nothing better: overlap {overlap:.2f} < {MIN_OVERLAP:.2f}"
    return Block(RETRIEVAL, reason, figures)


def _finds_better(verdict: QueryVerdict) -> bool:
    figures = [said.figures for said in verdict.rulings if said.validator == RETRIEVAL]
    return any(f["found"] >= f["own"] + IMPROVEMENT for f in figures)


def _parts(
    strings: Sequence[Ruling], queries: Sequence[str], measured: Sequence[Measures], own: Finding
) -> list[tuple[Ruling, ...]]:
    """Judge queries that ask for parts of the question; one with a gap finds nothing yet."""
    rulings: list[tuple[Ruling, ...]] = [
        (said,)
        if HOP.search(query)
        else (said, check_retrieval(own, one.found, same_question=False))
        for said, query, one in zip(strings, queries, measured, strict=True)
    ]
    if not any(map(first_block, rulings)):
        return rulings
    gap = Block("hops", "a part that it needs was blocked")
    return [
        (*said, gap) if HOP.search(query) else said
        for said, query in zip(rulings, queries, strict=True)
    ]


def _added(asked: Named, query: Named, lost: frozenset[str]) -> str:
    """Return what one query has besides the question's numbers and ideographs; empty: nothing."""
    known = {number.value for number in asked.numbers}
    new = [
        number.value
        for number in query.numbers
        if number.value not in known and (not number.name or number.name in asked.text)
    ]
    if new:
        return f"a number was added: {', '.join(new)}"
    gained = query.ideographs - asked.ideographs
    return f"{''.join(sorted(lost))} became {''.join(sorted(gained))}" if lost and gained else ""


def _missing_numbers(asked: Named, queries: Sequence[Named]) -> Iterator[str]:
    kept = {number.value for one in queries for number in one.numbers}
    named = [name for name in asked.names if is_identifier(name)]
    for number in dict.fromkeys(asked.numbers):
        if number.value not in kept and not any(number.value in name for name in named):
            yield number.value


def _changed_units(asked: Named, queries: Sequence[Named]) -> list[str]:
    changed = []
    for number in dict.fromkeys(asked.numbers):
        others = [n.units for one in queries for n in one.numbers if n.value == number.value]
        if number.units and others and all(u and not u & number.units for u in others):
            changed.append(f"{number.value} {min(number.units)}")
    return changed


def _has_name(query: Named, name: str) -> bool:
    """Return whether a text has a name, in one of its forms, in full or by its initials."""
    parts = re.findall(r"\d+|[^\W\d_]+", lowered(re.sub(r"(?<=[A-Z])s$", "", name)))
    spelled = r"[\W_]*".join(map(re.escape, parts))
    if re.search(rf"(?<![^\W_]){spelled}s?(?![^\W_])", query.text):
        return True
    if name.isupper() and name in query.initials:
        return True
    return not is_identifier(name) and any(
        _is_form(lowered(name), word) for word in re.findall(r"[^\W\d_]+", query.text)
    )


def _shortens(query: Named, name: str, asked: Named) -> bool:
    """Return whether a text has the initials of a name of several words that has `name` in it."""
    return any(one in asked.initials and name[0] in one for one in query.names)


def _is_form(name: str, word: str) -> bool:
    """Return whether two words may be forms of one name: Portugal and Portuguese."""
    short, long = sorted((name, word), key=len)
    common = len(commonprefix([short, long]))
    if common == len(short) >= LEAST_COMMON - 1 and len(long) - len(short) <= ENDING:
        return True
    return common >= max(LEAST_COMMON, COMMON_SHARE * len(long))
