"""Second channels blended into the product's ranking: what each gains, at which weight."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.datasets import data_set
from benchmarks.reorders import Pools, Row, arm, compared, keep, pools, unchanged
from research_agent.retrieval.reorder.blending_report import (
    BlendSummary,
    correlations,
    histogram,
    query_row,
    read,
    summary,
    written,
)
from research_agent.retrieval.reorder.blending_scales import Mode, Scale
from research_agent.retrieval.reorder.codes import PatternCodes, blend_codes
from research_agent.retrieval.reorder.topic_labels import CodeCache
from research_agent.retrieval.reorder.topic_labels_english import ENGLISH
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.blending import Blended, BlendRule, blend, pool_size

Channel = Callable[[str, Sequence[Hit], BlendRule], Blended]
MODES: tuple[Mode, ...] = ("rank", "z-score", "min-max", "softmax")
ALPHAS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.0)
"""Weights of the ranking itself."""
MULTIPLIER, LARGEST = 5, 200
"""How many hits may change places: the shown ones times the first, the second at most."""


def words(_query: str, hits: Sequence[Hit], rule: BlendRule) -> Blended:
    """Blend in the lexical index's own scores."""
    return blend(hits, {h.chunk.chunk_id: h.lexical for h in hits if h.lexical is not None}, rule)


def similarity(_query: str, hits: Sequence[Hit], rule: BlendRule) -> Blended:
    """Blend in the cosines."""
    known = {h.chunk.chunk_id: h.similarity for h in hits if h.similarity is not None}
    return blend(hits, known, rule)


def _codes() -> Channel:
    codes = PatternCodes(ENGLISH, CodeCache())
    return lambda query, hits, rule: blend_codes(query, hits, codes, rule)


CHANNELS: Mapping[str, Channel] = {"codes": _codes(), "words": words, "similarity": similarity}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What is compared."""

    channels: Sequence[str]
    alphas: Sequence[float]
    modes: Sequence[Mode]
    temperature: float = 1.0


def run(names: Sequence[str], sweep: Sweep, *, cache: str, diagnostics: str) -> Iterator[list[Row]]:
    """Measure every arm on each data set, keep rows and tables, and yield the rows.

    With a folder `diagnostics`, every arm writes a file of one line a query there.
    """
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        for name in names:
            given = pools(data_set(name), place, Settings())
            rows = measured(given, sweep, Path(diagnostics) if diagnostics else None)
            keep(f"blend-{name}", rows)
            yield rows


def measured(given: Pools, sweep: Sweep, folder: Path | None) -> list[Row]:
    """Return one row an arm, the first without any blending."""
    arms = [arm("none", given, unchanged)]
    for channel in sweep.channels:
        for mode in sweep.modes:
            for alpha in sweep.alphas:
                name = f"{channel} {mode} {alpha:.2f}"
                told: list[dict[str, object]] = []
                reorder = _blending(channel, Scale(mode, sweep.temperature), alpha, given, told)
                arms.append(arm(name, given, reorder))
                if folder:
                    folder.mkdir(parents=True, exist_ok=True)
                    file = folder / f"{given.data.name}-{name.replace(' ', '-')}.jsonl"
                    file.write_text(written(told), encoding="utf-8")
    return compared(given.data, arms)


def _blending(
    channel: str, scale: Scale, alpha: float, given: Pools, told: list[dict[str, object]]
) -> Callable[[str, Sequence[Hit]], Sequence[Hit]]:
    """Return what blends a question's hits, and notes in `told` how that went."""
    top_k = given.data.ks[-1]
    pool = pool_size(top_k, multiplier=MULTIPLIER, largest=LARGEST, corpus=given.chunks)
    rule = BlendRule(alpha=alpha, top_k=top_k, pool=pool, scale=scale)

    def reorder(query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
        blended = CHANNELS[channel](query, hits, rule)
        told.append(query_row(query, blended.diagnostics))
        return blended.hits

    return reorder


def aggregated(patterns: Sequence[str], bins: int) -> Iterator[str]:
    """Yield a summary of each file of diagnostics that the globs name, with a histogram."""
    for name in sorted({name for pattern in patterns for name in glob(pattern)}):  # noqa: PTH207 (a pattern may name any folder)
        rows = read(Path(name).read_text(encoding="utf-8"))
        yield f"{Path(name).name}: {_sentence(summary(rows))}"
        found = correlations([row for row in rows if "query" in row])
        most = max((count for *_, count in histogram(found, bins)), default=0) if bins else 0
        for low, high, count in histogram(found, bins) if bins else []:
            yield f"  {low:+.2f} to {high:+.2f} {count:5d} {'#' * (40 * count // max(1, most))}"


def _sentence(of: BlendSummary) -> str:
    """Return a summary as a line."""
    known = (
        f"rank correlation {of.spearman_mean:+.3f} ({of.spearman_min:+.3f} to "
        f"{of.spearman_max:+.3f}) in {of.spearman_queries}"
        if of.spearman_mean is not None
        else "no rank correlation"
    )
    return (
        f"{of.queries} queries, {of.changed_queries} changed ({of.changed_share:.1%} of places); "
        f"{known}; off: first channel {of.first_off}, second {of.second_off} "
        f"(no score at all {of.unknown})"
    )
