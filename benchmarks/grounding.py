"""How well the grounding score tells supported sentences from others, one source left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import click

from benchmarks.common import DATA, RESULTS, Row, read, table_of, told_share
from benchmarks.grounding_fit import (
    Data,
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
from research_agent.evaluation.intervals import told_mean
from research_agent.evaluation.risk import auroc
from research_agent.ports import SentencePairs
from research_agent.text.content_words import content_words, share_held, wanted_words
from research_agent.text.quote_search import windows
from research_agent.types import Chunk
from research_agent.types.claims import GroundingModel
from research_agent.verification.adapters.grounding_file import write_grounding
from research_agent.verification.grounding import FEATURES, compare, features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS = DATA / "grounding" / "pairs_dev.jsonl"
TOLD_EVERY = 100
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


@click.command("grounding")
@click.option("--fit", "fitting", is_flag=True, help="Write the weights that the product uses.")
def grounding_command(*, fitting: bool) -> None:
    """Measure the grounding score, each family of sources left out in turn."""
    from research_agent.models.adapters.minilm import CrossEncoder, MiniLM

    pairs = CrossEncoder(MiniLM())
    measured = data(read(ROWS), pairs)
    if fitting:
        write_grounding(fitted(measured, sha256(ROWS.read_bytes()).hexdigest(), pairs.digest))
    text = tables(measured, left_out_arms(measured))
    (RESULTS / "grounding.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)


def data(rows: Sequence[Row], pairs: SentencePairs) -> Data:
    """Return the features of rows and what is known of them."""
    import numpy as np

    names = [(str(row["source"]), str(row["doc"])) for row in rows]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    measured = []
    for number, row in enumerate(rows, start=1):
        measured.append(_measured(row, pairs))
        if number % TOLD_EVERY == 0:
            print(f"{number} of {len(rows)} sentences", flush=True)
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
    predicted = predictions(*of, penalty=penalty)
    low, high = (marking_limit(predicted, *of[1:], share=share) for share in UNSURE)
    return GroundingModel(
        weights=tuple(model.weights.tolist()),
        bias=model.bias,
        means=tuple(model.means.tolist()),
        scales=tuple(model.scales.tolist()),
        limit=marking_limit(predicted, *of[1:]),
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


def tables(measured: Data, arms: Sequence[Arm]) -> str:
    """Return the means over families, each family, and the contradictions."""
    by_name = {arm.name: arm for arm in arms}
    means = [_means(measured, arm, by_name[BASE]) for arm in arms]
    for name, share in (("nothing", "0 %"), ("everything", "10 %")):
        means.append(
            {"": f"mark {name}", "AUROC": "0.500", "1": "", "caught": share, "2": "", "3": ""}
        )
    families = list(_families(measured, by_name[BASE], by_name[OURS]))
    return "\n\n".join([table_of(means), table_of(families), _contradictions(measured)])


def _means(measured: Data, arm: Arm, base: Arm) -> dict[str, str]:
    of = measured.supported, measured.family
    gaps = [
        "" if arm is base else told_mean(gap["mean"], 3, "+")
        for score in (auroc, caught)
        for gap in [differences(score, (arm.told, base.told), measured)]
    ]
    return {
        "": arm.name,
        "AUROC, mean of families": f"{macro(auroc, arm.told, *of):.3f}",
        "difference to word coverage (95 %)": gaps[0],
        "caught at 10 % of the supported marked": f"{100 * macro(caught, arm.told, *of):.0f} %",
        "difference (95 %)": gaps[1],
        "calibration error": f"{calibration_error(arm.told, of[0]):.3f}",
    }


def _families(measured: Data, base: Arm, ours: Arm) -> Iterator[dict[str, str]]:
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
            "difference (95 %)": told_mean(gaps[name], 3, "+"),
            "caught: coverage": f"{100 * caught(base.told[of], yes):.0f} %",
            "by the score": f"{100 * caught(ours.told[of], yes):.0f} %",
            "marked at the others' limit: supported": f"{100 * marked[yes == 1].mean():.0f} %",
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
