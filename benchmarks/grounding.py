"""How well the grounding score tells supported sentences from others, one source left out."""

from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir

import click

from benchmarks import keeping
from benchmarks.grounding_fit import (
    chosen_penalty,
    fit,
    left_out,
    marking_limit,
    predictions,
)
from benchmarks.grounding_rows import ROWS, Data, KeptPairs, data
from benchmarks.grounding_table import Arm, summary, tables
from benchmarks.questions import read
from research_agent.types.claims import GroundingModel
from research_agent.verification.adapters.grounding_file import read_grounding, write_grounding
from research_agent.verification.grounding import FEATURES, probability

NUMBERS = FEATURES.index("missing_numbers")
UNSURE = (0.02, 0.5)
"""Shares of the supported sentences below the unsure band, and below its upper end."""


@click.command("grounding")
@click.argument("file", default="", type=click.Path(dir_okay=False))
@click.option("--fit", "fitting", is_flag=True, help="Write the weights that the product uses.")
@click.option("--limit", default=0, help="Only the first rows; nothing is kept.")
@click.option("--cache", default="", help="Keep the models' scores in this folder.")
def grounding_command(*, file: str, fitting: bool, limit: int, cache: str) -> None:
    """Measure the grounding score: a family left out, or a FILE with the committed weights."""
    from research_agent.models.adapters.minilm import CrossEncoder, MiniLM

    folder = cache or str(Path(gettempdir(), "research-agent-grounding"))
    pairs = KeptPairs(CrossEncoder(MiniLM()), folder)
    path = Path(file) if file else ROWS
    rows = read(path)[: limit or None]
    measured = data(rows, pairs)
    if fitting:
        write_grounding(fitted(measured, digest(path), pairs.digest))
    arms = committed_arms(measured) if file else left_out_arms(measured)
    text = tables(measured, arms)
    print(text)
    if not file and not limit:
        keeping.keep("grounding", summary(measured, arms), text)


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

    def arm(name: str, values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Arm:
        told = left_out(values, measured.supported, measured.family)
        return Arm(name, told.probability, told.limit, told.middle)

    coverage = measured.coverage[:, None]
    numbers = np.column_stack([coverage, measured.values[:, NUMBERS]])
    return [
        arm("coverage of all the text", measured.whole[:, None]),
        arm("word coverage", coverage),
        arm("coverage + numbers", numbers),
        arm("fitted score", measured.values),
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
        Arm("word coverage", measured.coverage, half, half),
        Arm("fitted score", told, limit, half),
    ]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
