"""The command `replay`: a recorded run again, with something changed."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import click

from research_agent.answering.draft_redaction import public_result
from research_agent.answering.result_lines import Changes, Difference, difference
from research_agent.assembly.connection import connect
from research_agent.assembly.traces import (
    Replayed,
    connecting_settings,
    ending_at,
    merged_state,
    read_lines,
    replayed_ports,
)
from research_agent.config import changed_settings, configured, load_prompts, unknown_keys
from research_agent.errors import ConfigError, ReplayError, StoppedError
from research_agent.interfaces.cli.options import CONFIG, JSON, OFFLINE
from research_agent.interfaces.cli.process import INTERRUPTED, ended_by_ctrl_c, exits, start
from research_agent.interfaces.cli.rendering import print_result
from research_agent.interfaces.cli.terminal import note, say, say_json
from research_agent.interfaces.events import events
from research_agent.interfaces.own_graphs import resuming, state
from research_agent.network_guard import NetworkGuard
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.stopping import Stop
from research_agent.types.events import Finished, Watching
from research_agent.types.records import IndexHeader
from research_agent.types.result import ResearchResult

Line = Mapping[str, Any]


@click.command("replay")
@click.argument("trace", metavar="TRACE")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting, such as filter.mode=off. May be repeated.",
)
@click.option("--from", "node", default="retrieve", metavar="NODE", help="Begin at this node.")
@click.option(
    "--round", "round_", default=1, type=click.IntRange(1, 100), help="Which run of that node."
)
@click.option("--index", metavar="NAME_OR_PATH", help="Use this index instead of the recorded one.")
@CONFIG
@click.option("--live", is_flag=True, help="Ask your models for prompts that are not in the trace.")
@JSON
@OFFLINE
@exits
def replay_command(  # noqa: PLR0913 (one argument an option)
    *,
    trace: str,
    changes: tuple[str, ...],
    node: str,
    round_: int,
    index: str | None,
    config: str | None,
    live: bool,
    as_json: bool,
) -> int:
    """Run a question again that `ask --trace` has recorded, and print the differences.

    No model is asked: a prompt that is not in the trace is an error. With --live such prompts go to
    the models of your own settings, never to those of the trace.
    """
    lines = read_lines(trace)
    head = lines[0]
    recorded = changed_settings(head["settings"], changes)
    for key in unknown_keys(head["settings"]):
        note(f"the run was recorded with {key}, which this version does not have")
    begin, before = state_before(lines, node, round_), _recorded(lines)
    own = start(config) if live else configured(config).settings
    given = connecting_settings(recorded, own, changes, live=live)
    with ExitStack() as stack:
        if not live:
            stack.enter_context(NetworkGuard())
        where = index or head["index"]
        connection = stack.enter_context(connect(where, given, os.environ, on_note=note))
        settings = as_recorded(connection.settings, recorded)
        if connection.header() != IndexHeader(**head["fingerprint"]):
            note("the index is not what it was when the run was recorded")
        replayed = replayed_ports(connection.ports, recorded, lines, offline_only=not live)
        try:
            result = _run(begin, node, replayed.ports, settings)
        except StoppedError:
            return INTERRUPTED
    _print(before, result, replayed, as_json=as_json)
    return 0


def as_recorded(settings: Settings, recorded: Settings) -> Settings:
    """Return settings that ask what the recorded run asked, whichever models are connected."""
    return replace(
        settings,
        rerank=recorded.rerank,
        answer=replace(settings.answer, refusal=recorded.refuses_by),
        verify=replace(settings.verify, judge=recorded.judges),
    )


def state_before(lines: Sequence[Line], node: str, round_: int) -> Mapping[str, object]:
    """Return the state before a node ran in a round, as JSON values; raises ReplayError."""
    if node not in resuming.NODES:
        nodes = f"One of {', '.join(resuming.NODES)}"
        raise ConfigError(f"--from {node}: no such node", hint=nodes)
    now: Mapping[str, object] = {"question": lines[0]["question"]}
    if (node, round_) == ("retrieve", 1):
        return now
    for line in lines:
        if line.get("line") == "step":
            if (line["step"], line["round"]) == (node, round_):
                return now
            now = merged_state(now, line["wrote"])
    raise ReplayError(
        f"{node} did not run in round {round_} of the recorded run",
        hint="Replay from an earlier node, or from another --round.",
    )


def _run(
    begin: Mapping[str, object], node: str, ports: Ports, settings: Settings
) -> ResearchResult:
    moved = ending_at(resuming.trace_of(begin), ports.clock.seconds())
    recorded = {**begin, "trace": list(moved)} if moved else begin
    stop, prompts = Stop(), load_prompts()
    run = partial(resuming.stream_from, node, recorded, ports, settings, prompts)
    running = events(run, stop=stop, watching=Watching())
    with ended_by_ctrl_c(stop):
        results = [event.result for event in running if isinstance(event, Finished)]
    return results[-1]


def _recorded(lines: Sequence[Line]) -> ResearchResult | None:
    for line in lines:
        if line.get("line") == "event" and line.get("event") == "result":
            try:
                recorded: ResearchResult = state.RESULT.validate_python(line["result"])
            except ValueError as error:
                raise ReplayError(
                    "another version recorded this trace, and kept its result differently",
                    hint="Ask the question again: research-agent ask --trace FOLDER",
                ) from error
            return public_result(recorded)
    return None


def _print(
    before: ResearchResult | None, after: ResearchResult, replayed: Replayed, *, as_json: bool
) -> None:
    changed = difference(before, after) if before else None
    if as_json:
        told = changed and {**asdict(changed), "same": changed.same}
        counts = {"replayed_calls": replayed.replayed, "asked_calls": replayed.asked}
        result = state.RESULT.dump_python(after, mode="json")
        say_json({**counts, "difference": told, "result": result})
        return
    if changed is None:
        note("the recorded run had no result")
        print_result(after)
    else:
        say("no difference" if changed.same else "\n".join(_lines(changed)))
    calls = f"{replayed.replayed} model calls from the trace, {replayed.asked} asked"
    say(f"replayed: {calls}", dim=True, error=True)


def _lines(difference: Difference) -> Iterator[str]:
    for name in ("status", "stop_reason"):
        old, new = getattr(difference, name)
        if old != new:
            yield f"{name.replace('_', ' ')}: {old} -> {new}"
    if difference.same_answer:
        yield "answer and citations: the same"
    else:
        yield "answer:"
        yield from (f"  {line.rstrip()}" for line in difference.answer)
    for name in ("citations", "evidence", "queries", "warnings"):
        changes: Changes = getattr(difference, name)
        if changes != Changes():
            yield f"{name}:"
            yield from (f"  - {text}" for text in changes.removed)
            yield from (f"  + {text}" for text in changes.added)
    for name, (before, after) in difference.usage.items():
        yield f"{name}: {_number(before)} -> {_number(after)}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else f"{value}"
