"""How likely the evidence supports a sentence: nine features and a fitted logistic regression."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp

from research_agent.ports import SentencePairs
from research_agent.text.content_words import Word, content_words, wanted_words
from research_agent.text.figures import figures_in, plain
from research_agent.text.hard_facts import Fact, hard_facts, own_readings
from research_agent.text.quote_search import (
    MAX_UNITS,
    Quote,
    Window,
    best_windows,
    headings,
    quote_of,
    unit_spans,
    windows,
)
from research_agent.types import Chunk
from research_agent.types.claims import GroundingModel
from research_agent.verification.contradictions import Contradiction, contradicted, in_place

LEAST_NEAR = 0.5
"""A chunk is near to a sentence if its quote scores at least this share of the best quote."""

FEATURES = (
    "best_window",
    "two_windows",
    "missing_numbers",
    "computed_numbers",
    "missing_identifiers",
    "missing_names",
    "relevance",
    "soft_best",
    "soft_two",
)
"""The features of the probability, in the order of a model's weights."""
NO_RELEVANCE = -11.0
"""The cross-encoder's logit for passages that have nothing to do with each other."""
MAX_PASSAGE = 900
"""Characters of a window that models read."""
_NAME = re.compile(r"(?<=[\w,;:)] )[^\W\d_a-z][^\W\d_A-Z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A sentence beside all evidence, by words, numbers and names alone."""

    quotes: Mapping[str, Quote]
    """The best quote of each chunk by its key, best first; none of one that shares no word."""
    best: str = ""
    """The window that holds most of the sentence's words; empty where none holds a word."""
    second: str = ""
    """The window that adds most to it."""
    coverage: tuple[float, float] = (0.0, 0.0)
    """Shares of the words that the best window holds, and both together."""
    facts: tuple[Fact, ...] = ()
    sources: Mapping[str, Quote] = field(default_factory=dict)
    """For each written key whose chunk has operands of a computed number: the place of most."""
    missing_names: int = 0
    contradiction: Contradiction | None = None

    @property
    def passages(self) -> tuple[str, ...]:
        """What models compare the sentence with: the best window, and both as one text."""
        if not self.best:
            return ()
        both = f"{self.best[:MAX_PASSAGE]}\n{self.second[:MAX_PASSAGE]}"
        return (self.best[:MAX_PASSAGE], both) if self.second else (self.best[:MAX_PASSAGE],)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """What the evidence holds of one sentence."""

    probability: float
    """That the evidence supports it, 0 to 1."""
    facts: tuple[Fact, ...] = ()
    quotes: Mapping[str, Quote] = field(default_factory=dict)
    sources: Mapping[str, Quote] = field(default_factory=dict)
    """For each written key whose chunk has operands of a computed number: the place of most."""
    contradiction: Contradiction | None = None


def ground(
    sentence: str,
    chunks: Mapping[str, Chunk],
    pairs: SentencePairs,
    model: GroundingModel,
    *,
    earlier: Sequence[Fact] = (),
    written: Sequence[str] = (),
) -> Grounded:
    """Return what the chunks, by key, hold of a sentence; raises ModelMissingError.

    A number may be computed of `earlier` sentences' ones. `written` are the sentence's keys.
    """
    compared = compare(sentence, chunks, earlier=earlier, written=written)
    relevance = pairs.relevance(sentence, compared.passages)
    soft = pairs.soft_coverage(sentence, compared.passages)
    return Grounded(
        probability=probability(features(compared, relevance, soft), model),
        facts=compared.facts,
        quotes=compared.quotes,
        sources=compared.sources,
        contradiction=compared.contradiction,
    )


def ground_verbatim(sentence: str, chunks: Mapping[str, Chunk]) -> Grounded:
    """Return the same for a sentence that a chunk has word for word; no model is asked."""
    compared = compare(sentence, chunks)
    return Grounded(probability=1.0, facts=compared.facts, quotes=compared.quotes)


def compare(
    sentence: str,
    chunks: Mapping[str, Chunk],
    *,
    earlier: Sequence[Fact] = (),
    written: Sequence[str] = (),
) -> Compared:
    """Return what chunks, by key, hold of a sentence; no model is asked."""
    wanted = tuple(wanted_words(sentence))
    found = [
        (key, window)
        for key, chunk in chunks.items()
        for window in best_windows(wanted, chunk, most=2)
    ]
    found.sort(key=lambda item: -item[1].rank(len(wanted)))
    quotes: dict[str, Quote] = {}
    for key, window in found:
        quotes.setdefault(key, quote_of(window, chunks[key], wanted))
    texts = [f"{headings(chunk)}\n{chunk.text}" for chunk in chunks.values()]
    near = _nearest(found, chunks, wanted)
    nearest = "\n".join(text for text, _ in near)
    facts = hard_facts(sentence, texts, window=nearest, earlier=earlier)
    if any(fact.is_missing_number for fact in facts):
        least = LEAST_NEAR * max((quote.score for quote in quotes.values()), default=0.0)
        passages = [
            (chunks[key], [window for other, window in found if other == key])
            for key, quote in quotes.items()
            if quote.score >= least
        ]
        facts = tuple(_added(fact, plain(sentence), passages) for fact in facts)
    contradictions = (contradicted(sentence, chunk, facts) for chunk in chunks.values())
    return Compared(
        quotes=quotes,
        best=near[0][0] if near else "",
        second=near[1][0] if len(near) > 1 else "",
        coverage=(near[0][1], near[-1][1]) if near else (0.0, 0.0),
        facts=facts,
        sources=_sources(facts, {key: chunks[key] for key in written if key in chunks}, wanted),
        missing_names=_missing_names(sentence, texts),
        contradiction=next(filter(None, contradictions), None),
    )


def _added(fact: Fact, sentence: str, passages: Sequence[tuple[Chunk, Sequence[Window]]]) -> Fact:
    """Return a fact; a missing number is computed of figures that have its place in passages.

    That is the sum or difference of two of their windows, or the sum of neighbours anywhere.
    """
    if not fact.is_missing_number:
        return fact
    placed = [
        (figure, any(window.start <= start < window.end for window in windows))
        for chunk, windows in passages
        for start, end in unit_spans(chunk)
        for figure in in_place(sentence, fact.text, chunk.text[start:end], chunk)
    ]
    near = [figure for figure, inside in placed if inside]
    return fact.added(near, [figure for figure, _ in placed])


def _sources(
    facts: Sequence[Fact], chunks: Mapping[str, Chunk], wanted: Sequence[Word]
) -> dict[str, Quote]:
    """Return the window of each chunk that has most operands of computed numbers, if it has one."""
    made_of = [figures_in(text)[0] for fact in facts for text in fact.operands]

    def held(window: Window) -> tuple[int, int]:
        readings = own_readings(chunk.text[window.start : window.end])
        return sum(figure.stands_in(readings) for figure in made_of), -window.units

    found: dict[str, Quote] = {}
    for key, chunk in chunks.items() if made_of else ():
        ranked = sorted(windows(wanted, chunk), key=lambda one: -one.rank(len(wanted)))
        short = [*ranked[:1], *(window for window in ranked if window.units <= MAX_UNITS)]
        best = max(short, key=held, default=None)
        if best and held(best)[0]:
            found[key] = quote_of(best, chunk, wanted)
    return found


def features(
    compared: Compared, relevance: Sequence[float], soft: Sequence[float]
) -> tuple[float, ...]:
    """Return the values of `FEATURES`; `relevance` and `soft` are for `compared.passages`."""
    missing = [fact.kind for fact in compared.facts if fact.status == "missing"]
    return (
        *compared.coverage,
        float("number" in missing or "date" in missing),
        float(any(fact.status == "computed" for fact in compared.facts)),
        float("identifier" in missing or "quotation" in missing),
        float(min(compared.missing_names, 3)),
        max(relevance, default=NO_RELEVANCE),
        soft[0] if soft else 0.0,
        soft[-1] if soft else 0.0,
    )


def probability(values: Sequence[float], model: GroundingModel) -> float:
    """Return how likely the evidence supports a sentence with these features, 0 to 1."""
    standard = (
        weight * (value - mean) / scale
        for value, weight, mean, scale in zip(
            values, model.weights, model.means, model.scales, strict=True
        )
    )
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, model.bias + sum(standard)))))


def _nearest(
    found: Sequence[tuple[str, Window]], chunks: Mapping[str, Chunk], wanted: Sequence[Word]
) -> list[tuple[str, float]]:
    """Return the best window and the one that adds most to it, with the share they hold so far."""
    if not found:
        return []
    key, best = found[0]
    near = [(chunks[key].text[best.start : best.end], best.held.bit_count() / len(wanted))]
    if found[1:]:
        key, second = max(found[1:], key=lambda item: (best.held | item[1].held).bit_count())
        both = (best.held | second.held).bit_count() / len(wanted)
        near.append((chunks[key].text[second.start : second.end], both))
    return near


def _missing_names(sentence: str, texts: Sequence[str]) -> int:
    names = [name for name in _NAME.findall(sentence) if name[0].isupper()]
    if not names:
        return 0
    known = frozenset().union(*map(content_words, texts))
    return sum(not content_words(name) <= known for name in dict.fromkeys(names))
