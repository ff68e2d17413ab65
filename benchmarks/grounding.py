"""How well the grounding score tells supported sentences from others, one source left out."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import click

from benchmarks.common import CACHE, DATA, Row, keep, read, table_of
from benchmarks.figures import Interval, told_mean, told_share
from benchmarks.grounding_fit import (
    Data,
    auroc,
    balanced,
    calibration_error,
    caught,
    chosen_penalty,
    differences,
    fit,
    left_out,
    macro,
    marking_limit,
    predictions,
)
from research_agent.ports import SentencePairs
from research_agent.text.content_words import content_words, share_held, wanted_words
from research_agent.text.quote_search import windows
from research_agent.types import Chunk
from research_agent.types.claims import GroundingModel
from research_agent.verification.adapters.grounding_file import read_grounding, write_grounding
from research_agent.verification.grounding import FEATURES, compare, features, probability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS = DATA / "grounding" / "pairs_dev.jsonl"
KEEP_EVERY = 100
"""Rows after which new scores are written."""
NUMBERS = FEATURES.index("missing_numbers")
UNSURE = (0.02, 0.5)
"""Shares of the supported sentences below the unsure band, and below its upper end."""
BASE, OURS = "word coverage", "fitted score"


@dataclass(frozen=True, slots=True)
class Arm:
    """A score of every sentence, and the limits that were chosen elsewhere."""

    name: str
    told: "NDArray[np.float64]"
    limit: "NDArray[np.float64]"
    """Below it a sentence is marked: 10 % of the supported ones elsewhere are."""
    middle: "NDArray[np.float64]"
    """The limit of the best balanced accuracy elsewhere."""


@click.command("grounding")
@click.argument("file", default="", type=click.Path(dir_okay=False))
@click.option("--fit", "fitting", is_flag=True, help="Write the weights that the product uses.")
@click.option("--limit", default=0, help="Only the first rows; nothing is kept.")
@CACHE
def grounding_command(*, file: str, fitting: bool, limit: int, cache: str) -> None:
    """Measure the grounding score: a family left out, or a FILE with the committed weights."""
    from research_agent.models.adapters.minilm import CrossEncoder, MiniLM

    folder = cache or str(Path(gettempdir(), "research-agent-grounding"))
    pairs, path = KeptPairs(CrossEncoder(MiniLM()), folder), Path(file) if file else ROWS
    measured = data(read(path)[: limit or None], pairs)
    if fitting:
        digest = sha256(path.read_bytes()).hexdigest()
        write_grounding(fitted(measured, digest, pairs.digest))
    arms = committed_arms(measured) if file else left_out_arms(measured)
    text = tables(measured, arms)
    print(text)
    if not file and not limit:
        keep("grounding", summary(measured, arms), text)


class KeptPairs:
    """Scores of pairs, each computed once and kept in a file; implements SentencePairs."""

    def __init__(self, pairs: SentencePairs, folder: str) -> None:
        """Keep scores in `folder`; nowhere if it is empty."""
        self._pairs = pairs
        self._path = Path(folder, "pairs.json") if folder else None
        self._known: dict[str, float] = {}
        if self._path and self._path.is_file():
            self._known = json.loads(self._path.read_bytes())

    @property
    def digest(self) -> str:
        """Which models."""
        return self._pairs.digest

    def relevance(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the cross-encoder's logits."""
        return self._all("relevance", self._pairs.relevance, sentence, passages)

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the soft coverage."""
        return self._all("soft", self._pairs.soft_coverage, sentence, passages)

    def keep(self) -> None:
        """Write what is known."""
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._known), encoding="utf-8")

    def _all(
        self,
        kind: str,
        ask: Callable[[str, Sequence[str]], Sequence[float]],
        sentence: str,
        passages: Sequence[str],
    ) -> list[float]:
        text = f"{kind}\0{self.digest}\0{sentence}"
        keys = [sha256(f"{text}\0{one}".encode()).hexdigest()[:24] for one in passages]
        if not all(key in self._known for key in keys):
            self._known.update(zip(keys, ask(sentence, passages), strict=True))
        return [self._known[key] for key in keys]


def data(rows: Sequence[Row], pairs: KeptPairs) -> Data:
    """Return the features of rows and what is known of them."""
    import numpy as np

    names = [(str(row["source"]), str(row["doc"])) for row in rows]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    measured = []
    for number, row in enumerate(rows, start=1):
        measured.append(_measured(row, pairs))
        if number % KEEP_EVERY == 0:
            pairs.keep()
            print(f"{number} of {len(rows)} sentences", flush=True)
    pairs.keep()
    values, coverage, whole, contradicted = zip(*measured, strict=True)
    return Data(
        values=np.array(values),
        coverage=np.array(coverage),
        whole=np.array(whole),
        supported=np.array([int(row["label"] == "supported") for row in rows]),
        family=np.array([row["source"].split("-")[0] for row in rows]),
        group=np.array([places[name] for name in names]),
        contradicted=np.array(contradicted),
    )


def _measured(row: Row, pairs: SentencePairs) -> tuple[tuple[float, ...], float, float, bool]:
    """Return the features of a row, its coverage by a window and by all, and a contradiction."""
    sentence, chunk = str(row["sentence"]), Chunk("", "", str(row["evidence"]))
    found = compare(sentence, {"c1": chunk})
    values = features(
        found,
        pairs.relevance(sentence, found.passages),
        pairs.soft_coverage(sentence, found.passages),
    )
    whole = share_held(sentence, content_words(chunk.text))
    wanted = tuple(wanted_words(sentence))
    held = max((window.held.bit_count() for window in windows(wanted, chunk)), default=0)
    return values, held / max(len(wanted), 1), whole, bool(found.contradiction)


def fitted(measured: Data, rows_digest: str, cross_encoder: str) -> GroundingModel:
    """Return the model fitted on all families; its limits are of families left out."""
    of = measured.values, measured.supported, measured.family
    penalty = chosen_penalty(*of)
    model = fit(*of, penalty=penalty)
    told = predictions(*of, penalty=penalty)
    low, high = (marking_limit(told, *of[1:], share=share) for share in UNSURE)
    return GroundingModel(
        weights=tuple(model.weights.tolist()),
        bias=model.bias,
        means=tuple(model.means.tolist()),
        scales=tuple(model.scales.tolist()),
        limit=marking_limit(told, *of[1:]),
        unsure=(low, high),
        data=rows_digest,
        cross_encoder=cross_encoder,
    )


def left_out_arms(measured: Data) -> list[Arm]:
    """Return the trivial baselines and the score, each family by what was fitted on the others."""
    import numpy as np

    coverage = measured.coverage[:, None]
    arms = {
        "coverage of all the text": measured.whole[:, None],
        BASE: coverage,
        "coverage + numbers": np.column_stack([coverage, measured.values[:, NUMBERS]]),
        OURS: measured.values,
    }
    return [
        Arm(name, *left_out(values, measured.supported, measured.family))
        for name, values in arms.items()
    ]


def committed_arms(measured: Data) -> list[Arm]:
    """Return word coverage, and the score with the committed weights; nothing is fitted."""
    import numpy as np

    model = read_grounding()
    told = np.array([probability(values, model) for values in measured.values.tolist()])
    half = np.full(len(told), 0.5)
    limit = np.full(len(told), model.limit)
    return [
        Arm("coverage of all the text", measured.whole, half, half),
        Arm(BASE, measured.coverage, half, half),
        Arm(OURS, told, limit, half),
    ]


def tables(measured: Data, arms: Sequence[Arm]) -> str:
    """Return the means over families, each family, and the contradictions."""
    means = [*_trivial(), *(_mean_cells(measured, arm, arms) for arm in arms)]
    families = list(_families(measured, {arm.name: arm for arm in arms}))
    return "\n\n".join([table_of(means), table_of(families), _contradictions(measured)])


def summary(measured: Data, arms: Sequence[Arm]) -> Iterator[dict[str, object]]:
    """Yield one line a family and arm."""
    for name in sorted(set(measured.family.tolist())):
        of = measured.family == name
        yes = measured.supported[of]
        for arm in arms:
            told = arm.told[of]
            marked = told < arm.limit[of]
            yield {
                "family": str(name),
                "arm": arm.name,
                "sentences": len(yes),
                "supported": int(yes.sum()),
                "auroc": round(auroc(told, yes), 4),
                "caught_at_10": round(caught(told, yes), 4),
                "calibration_error": round(calibration_error(told, yes), 4),
                "marked_supported": int(marked[yes == 1].sum()),
                "marked_unsupported": int(marked[yes == 0].sum()),
            }


def _trivial() -> Iterator[dict[str, str]]:
    heads = [
        "",
        "AUROC, macro",
        "difference to word coverage (95 %)",
        "to coverage of all the text",
        "caught at 10 % of the supported marked, macro",
        "difference (95 %)",
        "balanced accuracy, macro",
        "calibration error",
    ]
    for name, share in (("nothing", "0 %"), ("everything", "10 %")):
        cells = (f"mark {name}", "0.500", "", "", share, "", "0.500", "")
        yield dict(zip(heads, cells, strict=True))


def _mean_cells(measured: Data, arm: Arm, arms: Sequence[Arm]) -> dict[str, str]:
    of = measured.supported, measured.family
    base = next(one for one in arms if one.name == BASE)

    def gap(score: Callable[..., float], other: Arm) -> str:
        if arm is other:
            return ""
        return _gap(differences(score, (arm.told, other.told), measured)["mean"])

    middle = (arm.told >= arm.middle).astype(float)
    return {
        "": arm.name,
        "AUROC": f"{macro(auroc, arm.told, *of):.3f}",
        "to coverage": gap(auroc, base),
        "to all": gap(auroc, arms[0]),
        "caught": f"{100 * macro(caught, arm.told, *of):.0f} %",
        "difference": gap(caught, base),
        "balanced": f"{macro(balanced, middle, *of):.3f}",
        "calibration": f"{calibration_error(arm.told, of[0]):.3f}",
    }


def _families(measured: Data, arms: Mapping[str, Arm]) -> Iterator[dict[str, str]]:
    base, ours = arms[BASE], arms[OURS]
    gaps = differences(auroc, (ours.told, base.told), measured)
    for name in sorted(set(measured.family.tolist())):
        of = measured.family == name
        yes = measured.supported[of]
        marked = ours.told[of] < ours.limit[of]
        yield {
            "family": name,
            "sentences (supported)": f"{len(yes)} ({int(yes.sum())})",
            "AUROC: coverage": f"{auroc(base.told[of], yes):.3f}",
            "score": f"{auroc(ours.told[of], yes):.3f}",
            "difference (95 %)": _gap(gaps[name]),
            "caught: coverage": f"{100 * caught(base.told[of], yes):.0f} %",
            "by the score": f"{100 * caught(ours.told[of], yes):.0f} %",
            "at the limit of the others, marked: supported": (
                f"{100 * marked[yes == 1].mean():.0f} %"
            ),
            "unsupported": f"{100 * marked[yes == 0].mean():.0f} %",
            "calibration error": f"{calibration_error(ours.told[of], yes):.3f}",
        }


def _contradictions(measured: Data) -> str:
    """Return how often a sentence that counts as contradicted is unsupported."""
    found, wrong = measured.contradicted, measured.supported == 0
    families = ", ".join(
        f"{name} {int((found[of] & wrong[of]).sum())} of {int(found[of].sum())}"
        for name in sorted(set(measured.family.tolist()))
        if found[of := measured.family == name].any()
    )
    right = told_share(int((found & wrong).sum()), int(found.sum()))
    return f"Contradicted, of which unsupported: {right}; {families}."


def _gap(gap: Interval) -> str:
    return told_mean(gap, 3, "+")
