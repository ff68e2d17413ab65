"""`research-agent ablate`: which stages, or which preset, pay on a question set."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import click
from pydantic_core import to_jsonable_python

from research_agent.config import load_prompts
from research_agent.config_edit import edited
from research_agent.evaluation import ablation
from research_agent.evaluation.ablation import Gain, Run
from research_agent.evaluation.intervals import told_mean
from research_agent.evaluation.questions import Question
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.options import ASKING, INDEX, OFFLINE
from research_agent.interfaces.cli.process import exits, opened, start
from research_agent.interfaces.cli.terminal import note, progress_bar, say
from research_agent.interfaces.evaluation.running import (
    EvalOptions,
    chosen_questions,
    estimate,
    evaluate,
    read_file,
)
from research_agent.interfaces.report.writing import check_target
from research_agent.presets import changed, with_preset
from research_agent.private_files import replace_text
from research_agent.setting_fields import lines
from research_agent.settings import Settings

HEAD = ("stage", "now", "gain (95 %)", "tokens", "calls", "seconds", "result", "taken")


@click.command("ablate")
@click.argument("questions", metavar="QUESTIONS.jsonl")
@INDEX
@ASKING
@click.option("--presets", is_flag=True, help="Compare presets instead of stages.")
@click.option("--retrieval-only", is_flag=True, help="Only search stages; ask no model.")
@click.option("-o", "output", metavar="FILE", help="Write the chosen settings (YAML).")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--out", metavar="FOLDER", help="Output folder. Default: ablate-QUESTIONS.")
@click.option("--limit", default=0, type=click.IntRange(0), help="Draw N questions; 0: all.")
@click.option("--parallel", default=1, type=click.IntRange(1, 64), help="Questions at a time.")
@click.option("--dry-run", is_flag=True, help="Print the cost, and stop.")
@OFFLINE
@exits
def ablate_command(  # noqa: PLR0913 (one argument for each option)
    *,
    questions: str,
    index: str,
    config: str | None,
    presets: bool,
    retrieval_only: bool,
    output: str | None,
    force: bool,
    out: str | None,
    limit: int,
    parallel: int,
    dry_run: bool,
) -> int:
    """Switch each stage on or off by itself, and print its gain and cost on your questions.

    Replies are kept, so no call is made twice, and the same command continues an interrupted run.
    """
    if output:
        check_target(output, force=force)
    given = start(config, tells_preset=not retrieval_only)
    cache = replace(given.models.reply_cache, mode="counted")
    settings = changed(given, {"models.reply_cache": cache})
    options = EvalOptions(retrieval_only=retrieval_only, limit=limit, parallel=parallel)
    folder = Path(out or f"ablate-{Path(questions).stem}{'-retrieval' * retrieval_only}")
    with opened(index, settings) as connection, progress_bar() as show:
        settings = connection.settings
        tried = tuple(ablation.arms(settings, searches=retrieval_only, presets=presets))

        def run(name: str, changes: Mapping[str, object], chosen: Sequence[Question]) -> Run:
            own, place = _with(settings, changes), folder / name.replace(" ", "-")
            seen, all_of = (lambda _row, at, of: show(name, at, of)), replace(options, limit=0)
            with ResearchAgent(connection.ports, own, load_prompts()) as agent:
                rows = evaluate(agent, chosen, folder=place, options=all_of, on_row=seen).rows
            return ablation.run_of(rows, searches=retrieval_only)

        with ResearchAgent(connection.ports, settings, load_prompts()) as agent:
            chosen = chosen_questions(agent, read_file(questions), options, questions)
        about = estimate(chosen, settings, options)
        note(f"{len(tried) + 2} configurations, equal calls once; each: {about}")
        if dry_run:
            return 0
        base = run("now", {}, chosen)
        gains = [ablation.gain_of(arm, base, run(arm.stage, arm.changes, chosen)) for arm in tried]
        taken = ablation.chosen(settings, gains)
        kept = run("kept", taken, chosen) if taken else base
    gain, count = ablation.difference(base, kept)
    say(
        f"{_table(base, gains, taken)}\n"
        f"Taken together: {_told(taken) or 'nothing'}; {told_mean(gain, 3, '+')}.\n"
        f"{count} questions were compared; {max(one.needed for one in gains)} would show every "
        f"gain of {ablation.SMALL:g}."
    )
    if output:
        replace_text(Path(output), _config(Path(output), given, taken))
    return 0


def _with(settings: Settings, changes: Mapping[str, object]) -> Settings:
    preset = changes.get("preset")
    whole = with_preset(settings, str(preset)) if preset else settings
    return changed(whole, {key: value for key, value in changes.items() if key != "preset"})


def _table(base: Run, gains: Sequence[Gain], taken: Mapping[str, object]) -> str:
    rows = [HEAD, ("---",) * len(HEAD)]
    rows += [("as it is", "", f"{fmean(base.values.values()):.3f}", *_costs(base), "", "")]
    for one in gains:
        now, told_gain = "off" if one.arm.adds else "on", told_mean(one.gain, 3, "+")
        is_taken = one.takes and all(taken.get(key) == x for key, x in one.arm.changes.items())
        change = _told(one.arm.changes) if is_taken else ""
        rows += [(one.arm.stage, now, told_gain, *_costs(one.run), one.verdict, change)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _costs(run: Run) -> tuple[str, str, str]:
    tokens, calls, seconds = run.cost
    return f"{tokens:,.0f}", f"{calls:.1f}", f"{seconds:.1f}"


def _told(changes: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in changes.items())


def _config(path: Path, settings: Settings, taken: Mapping[str, object]) -> str:
    now, text = dict(lines(settings)), "# Made by research-agent ablate.\n"
    own = {key: now[key] for key in settings.laid.own if key in now}
    values = own | {"preset": settings.laid.name or settings.preset} | dict(taken)
    for key, value in values.items():
        text = edited(text, key, json.dumps(to_jsonable_python(value)), path)
    return text
