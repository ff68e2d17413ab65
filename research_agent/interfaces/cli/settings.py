"""Commands about the set-up: models, doctor, graph, completion."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import Any

import click
from click.shell_completion import get_completion_class

from research_agent.assembly.diagnosis.diagnosing import diagnose
from research_agent.assembly.diagnosis.findings import Finding, is_sound
from research_agent.assembly.models.report import describe_models, prune_all, weight_statuses
from research_agent.config import load_prompts
from research_agent.interfaces.cli import options
from research_agent.interfaces.cli.process import exits, start
from research_agent.interfaces.cli.terminal import progress_bar, say, say_json
from research_agent.ports import Ports
from research_agent.settings import Settings

WIDTH = 8
"""Of doctor's column that says how bad it is."""


@click.group("models", invoke_without_command=True)
@options.ASKING
@click.pass_context
def models_command(context: click.Context, config: str | None) -> None:
    """Show which model fills each role and what is installed."""
    if context.invoked_subcommand is None:
        exits(_show_models)(config)


def _show_models(config: str | None) -> int:
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
@exits
def prune_parts_command() -> int:
    """Delete the installed parts of weights that are joined and verified."""
    freed = prune_all(os.environ)
    nothing = "nothing to free: no installed parts of joined and verified weights"
    say(f"freed {freed / 1e6:,.0f} MB" if freed else nothing)
    return 0


@click.command("doctor")
@options.INDEX
@options.SETTINGS
@options.OFFLINE
@options.JSON
@click.option("--no-models", is_flag=True, help="Do not ask the models.")
@exits
def doctor_command(*, index: str, config: str | None, as_json: bool, no_models: bool) -> int:
    """Check everything that an answer needs, and print the command that repairs a problem.

    The exit status is 1 if there is a fault.
    """
    with progress_bar() as show:
        joining = partial(show, "joining the weights")
        settings = partial(start, config)
        findings = diagnose(index, settings, os.environ, ask=not no_models, on_bytes=joining)
    if as_json:
        say_json({"sound": is_sound(findings), "findings": [asdict(item) for item in findings]})
    else:
        say(findings_text(findings))
    return 0 if is_sound(findings) else 1


def findings_text(findings: Sequence[Finding]) -> str:
    """Return the findings for people: a line each, below it what cures it, and the sum."""
    lines: list[str] = []
    for finding in findings:
        lines.append(f"{finding.level:{WIDTH}}{finding.part}: {finding.what}")
        lines += [f"{'':{WIDTH}}cure: {finding.cure}"] if finding.cure else []
    counts = Counter(finding.level for finding in findings)
    return "\n".join([*lines, f"faults: {counts['fault']}, warnings: {counts['warning']}"])


@click.command("graph")
@exits
def graph_command() -> int:
    """Print the research graph as a Mermaid diagram."""
    from research_agent.interfaces.own_graphs import research

    nothing: dict[str, Any] = {field.name: None for field in fields(Ports)}
    graph = research.build_research_graph(Ports(**nothing), Settings(), load_prompts())
    click.echo(graph.get_graph(xray=True).draw_mermaid().rstrip("\n"))
    return 0


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
@exits
def completion_command(context: click.Context, *, shell: str) -> int:
    """Print a script that completes commands, options and index names in your shell.

    \b
    bash: research-agent completion bash > ~/.local/share/bash-completion/completions/research-agent
    zsh:  research-agent completion zsh > "${fpath[1]}/_research-agent"
    fish: research-agent completion fish > ~/.config/fish/completions/research-agent.fish
    """  # noqa: D301 (click reads the mark before the list)
    made, names = get_completion_class(shell), ("research-agent", "_RESEARCH_AGENT_COMPLETE")
    click.echo(made(context.find_root().command, {}, *names).source() if made else "")
    return 0
