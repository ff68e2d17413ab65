"""Commands of the benchmarks of answers, their claims and their doubts."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks import (
    answer_peers,
    answerability,
    answers,
    answers_report,
    checks,
    drafts,
    marks,
    presets,
    pruning,
    refusals,
    refusals_asking,
)
from benchmarks.answer_arms import ARMS, arm_named
from benchmarks.conversations import conversations_command
from benchmarks.grounding import grounding_command
from benchmarks.options import CACHE, LIVE, MINUTES, MODEL, WEIGHTS
from benchmarks.peers.running import ANSWERERS
from benchmarks.places import REFUSALS
from benchmarks.presets_table import report
from benchmarks.questions import nist_keys
from benchmarks.samples import NAMES, SampleName, sizes


@click.command("answers")
@MODEL
@click.option("--arm", default="default", type=click.Choice([arm.name for arm in ARMS]))
@click.option("--peer", type=click.Choice([peer.name for peer in ANSWERERS]), help="Ask this one.")
@click.option("--way", default="default", type=click.Choice(answer_peers.WAYS), help="Of a peer.")
@click.option("--all", "every", is_flag=True, help="Ask a slow peer all questions, not ten.")
@click.option("--gold-removed", is_flag=True, help="Leave out the pages that hold the answers.")
@click.option("--report", is_flag=True, help="Ask nobody: only tables of what is kept.")
@LIVE
@click.option("--limit", default=0, help="Only the first questions.")
@MINUTES
@click.option("--cache", default="", help="Keep environments of peers in this folder.")
def answers_command(  # noqa: PLR0913 (one option each)
    *,
    weights: str,
    arm: str,
    peer: str | None,
    way: str,
    every: bool,
    gold_removed: bool,
    report: bool,
    live: bool,
    limit: int,
    minutes: float,
    cache: str,
) -> None:
    """Answer the NIST questions, or let a peer do so, and score the answers."""
    if peer and not report:
        asking = answer_peers.Asking(
            peer=peer, arm=way, weights=weights, every=every, limit=limit, minutes=minutes
        )
        with TemporaryDirectory() as temporary:
            added = answer_peers.ask(asking, nist_keys(), cache=Path(cache or temporary).absolute())
        print(f"{added} answers recorded\n")
    elif not report:
        chosen = answers.arm(
            weights,
            arm,
            arm_named(arm).settings,
            gold_removed=gold_removed,
            live=live,
            limit=limit,
            minutes=minutes,
        )
        print(f"{json.dumps(answers.run(chosen), indent=2)}\n")
    print(answers_report.write_report(weights))


@click.command("presets")
@click.option("--preset", default="local", type=click.Choice(presets.PRESETS))
@MODEL
@click.option("--data", "names", multiple=True, type=click.Choice(NAMES), help="Default: all.")
@click.option("--rounds", default=0, help="At most; each smaller number is measured too.")
@click.option("--first-round-tokens", default=0, help="Less evidence in the first round.")
@click.option("--report", "only_report", is_flag=True, help="Ask nobody: only tables.")
@LIVE
@click.option("--limit", default=0, help="Only the first questions of each; nothing is kept.")
@MINUTES
@CACHE
def presets_command(  # noqa: PLR0913 (one option each)
    *,
    preset: str,
    weights: str,
    names: tuple[SampleName, ...],
    rounds: int,
    first_round_tokens: int,
    only_report: bool,
    live: bool,
    limit: int,
    minutes: float,
    cache: str,
) -> None:
    """Measure a preset and its rounds on NIST and samples of HotpotQA and MuSiQue."""
    if only_report:
        print(report(presets.kept(), sizes()))
        return
    chosen = presets.Chosen(
        preset=preset,
        weights=weights,
        live=live,
        rounds=rounds,
        first_tokens=first_round_tokens,
        limit=limit,
        minutes=minutes,
    )
    print(presets.run(names or NAMES, chosen, cache=cache))


@click.command("pruning")
@WEIGHTS
@LIVE
@MINUTES
@CACHE
def pruning_command(*, weights: str, live: bool, minutes: float, cache: str) -> None:
    """Measure how well the gain tells gold chunks from noise, and what pruning leaves out."""
    print(pruning.run(weights, live=live, minutes=minutes, cache=cache))


@click.command("marks")
@click.option("--weights", "models", multiple=True, default=["1.5b", "strong"], help="Drafts of.")
def marks_command(*, models: tuple[str, ...]) -> None:
    """Measure which sentences of right and of wrong drafts are marked."""
    print(marks.run(models))


@click.command("answerability")
@WEIGHTS
def answerability_command(*, weights: str) -> None:
    """Fit how likely evidence answers a question, with a source left out, from recordings."""
    print(answerability.run(weights))


@click.command("drafts")
@MODEL
@MINUTES
@CACHE
def drafts_command(*, weights: str, minutes: float, cache: str) -> None:
    """Record first drafts of a model, which `marks` grounds."""
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        drafts.record(weights, drafts.SOURCES, minutes=minutes, cache=place)
    if weights != answers.STRONG:
        print(f"{checks.record(weights, minutes=minutes)} drafts checked")


@click.command("refusals")
@click.argument("file", default=REFUSALS, type=click.Path(path_type=Path, exists=True))
@WEIGHTS
@LIVE
@MINUTES
@click.option("--limit", default=0, help="Only the first rows; no result is kept.")
@click.option("--at", "limits", multiple=True, default=(0.5,), type=click.FloatRange(0, 1))
def refusals_command(
    *, file: Path, weights: str, live: bool, minutes: float, limit: int, limits: tuple[float, ...]
) -> None:
    """Measure whether a model knows which of its drafts the evidence supports.

    FILE has one question a line, in the format of refusals_dev.jsonl, which is asked by default.
    `--at` shows both errors also at a limit of your own.
    """
    chosen = refusals_asking.Chosen(weights=weights, live=live, minutes=minutes, limit=limit)
    print(refusals.run(file, chosen, limits))


COMMANDS = (
    answerability_command,
    drafts_command,
    marks_command,
    answers_command,
    conversations_command,
    presets_command,
    pruning_command,
    grounding_command,
    refusals_command,
)
