"""Commands about the set-up: models, doctor, graph, mcp."""

import os
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from importlib.util import find_spec
from typing import Any

import click

from research_agent.assembly.diagnosis.diagnosing import diagnose
from research_agent.assembly.diagnosis.findings import Finding, is_sound
from research_agent.assembly.model_files import prune_all, restore_all, weight_statuses
from research_agent.assembly.models.report import describe_models
from research_agent.config import (
    load_prompts,
)
from research_agent.errors import ConfigError
from research_agent.interfaces.cli.options import ASKING, INDEX, OFFLINE, SETTINGS
from research_agent.interfaces.cli.process import start, told
from research_agent.interfaces.cli.progress import progress_bar
from research_agent.interfaces.cli.terminal import say, say_json
from research_agent.ports import Ports
from research_agent.settings import Settings

WIDTH = 8
"""Of doctor's column that says how bad it is."""


@click.group("models", invoke_without_command=True)
@ASKING
@click.pass_context
def models_command(context: click.Context, config: str | None) -> None:
    """Show which model fills each role, and what is installed."""
    if context.invoked_subcommand is None:
        told(_show_models)(config)


def _show_models(config: str | None) -> int:
    """Print which model fills each role, and which weights are here; 1 where a role is empty."""
    settings = start(config)
    descriptions = describe_models(settings.models, os.environ)
    for item in descriptions:
        say(f"{item.role}: {item.provider} {item.model} [{item.state}] {item.where}".rstrip())
        if item.problem:
            say(f"  {item.problem}\n  hint: {item.hint}")
    for found in weight_statuses(os.environ):
        parts = f"{found.installed_parts} of {len(found.weights.packages)} parts installed"
        joined = "joined and verified" if found.verified else "joined" if found.joined else parts
        size = f"{found.weights.size / 1e6:,.0f} MB"
        say(f"weights {found.weights.name}: {found.weights.title}, {size}, {joined}")
    return 1 if any(item.state == "missing" for item in descriptions) else 0


@models_command.command("prune-parts")
@told
def prune_parts_command() -> int:
    """Free the installed copies of weights that have been joined and verified."""
    freed = prune_all(os.environ)
    if freed:
        say(f"freed {freed / 1e6:,.0f} MB")
    else:
        say("nothing to free: no installed parts of joined and verified weights")
    return 0


@models_command.command("restore-parts")
@told
def restore_parts_command() -> int:
    """Write the installed copies of weights again that were freed after the join."""
    say(f"wrote {restore_all(os.environ) / 1e6:,.0f} MB")
    return 0


@click.command("doctor")
@INDEX
@SETTINGS
@OFFLINE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--no-models", is_flag=True, help="Ask no model.")
@told
def doctor_command(*, index: str, config: str | None, as_json: bool, no_models: bool) -> int:
    """Look at everything an answer needs, and name the command that cures what is wrong.

    The exit status is 1 where something is at fault.
    """
    with progress_bar() as show:
        found = diagnose(
            index,
            partial(start, config),
            os.environ,
            ask=not no_models,
            on_bytes=partial(show, "joining the weights"),
        )
    if as_json:
        say_json({"sound": is_sound(found), "findings": [asdict(item) for item in found]})
    else:
        say(findings_text(found))
    return 0 if is_sound(found) else 1


def findings_text(found: Sequence[Finding]) -> str:
    """Return the findings for people: a line each, below it what cures it, and the sum."""
    told: list[str] = []
    for finding in found:
        told.append(f"{finding.level:{WIDTH}}{finding.part}: {finding.what}")
        told += [f"{'':{WIDTH}}cure: {finding.cure}"] if finding.cure else []
    faults = sum(finding.level == "fault" for finding in found)
    warnings = sum(finding.level == "warning" for finding in found)
    return "\n".join([*told, f"faults: {faults}, warnings: {warnings}"])


@click.command("graph")
@told
def graph_command() -> int:
    """Print the research graph as a Mermaid picture."""
    click.echo(mermaid(), nl=False)
    return 0


def mermaid() -> str:
    """Return the graph, with the search inside it, as Mermaid text that ends with a line end.

    Nothing is opened or asked: the picture is the same for every index and every model.
    """
    from research_agent.interfaces.own_graphs import research

    nothing: dict[str, Any] = {field.name: None for field in fields(Ports)}
    graph = research.build_research_graph(Ports(**nothing), Settings(), load_prompts())
    return graph.get_graph(xray=True).draw_mermaid().rstrip("\n") + "\n"


@click.command("mcp")
@INDEX
@ASKING
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65_535),
    metavar="PORT",
    help="Serve on this loopback port (0: a free one) instead of stdin and stdout.",
)
@OFFLINE
@told
def mcp_command(*, index: str, config: str | None, port: int | None) -> int:
    """Serve an index to MCP clients: search, chunks, documents and research as tools."""
    if find_spec("mcp") is None:
        raise ConfigError(
            "the package mcp is not installed", hint='Install it: pip install "research-agent[mcp]"'
        )
    from research_agent.interfaces.mcp import serving

    return serving.serve(index=index, config=config, port=port)
