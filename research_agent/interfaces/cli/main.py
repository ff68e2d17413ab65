"""The command line: which commands there are, and where each one is.

A command's module is imported when the command runs, so that `--help` answers at once.

Exit status: 0 done (also a refusal: it is a result), 1 an error that is told on stderr, 2 wrong
usage, 3 an index was made but some files could not be read, 4 the answer was given but its
report could not be written, 5 nothing was answered and --fail-on-refusal was given, 6 a metric of
`eval` missed its --fail-under or --fail-over, 130 interrupted.
"""

import io
import os
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from research_agent.errors import ConfigError
from research_agent.interfaces.cli.options import OFFLINE
from research_agent.telemetry import Level, export_spans, log_to_stderr

GROUPS = {
    "Everyday": {
        "ask": ("ask", "Answer a question from the indexed documents, or refuse."),
        "chat": ("chat", "Hold a conversation about the indexed documents."),
        "search": ("search", "Show the chunks that match a query best, without a language model."),
        "index": ("index", "Add documents to an index (PDF, office files, web pages, code…)."),
        "documents": ("search", "List the documents of an index and how well each was read."),
        "web": ("serve", "Serve a web page on this machine."),
        "history": ("history", "Show earlier questions and their answers."),
    },
    "Set-up": {
        "config": ("config", "Show or write the settings."),
        "models": ("settings", "Show which model fills each role and what is installed."),
        "doctor": ("settings", "Check the set-up and say how to repair it."),
        "completion": ("settings", "Print a completion script for your shell."),
        "mcp": ("serve", "Serve an index to MCP clients."),
        "serve": ("serve", "Serve answers over HTTP, also with OpenAI's API."),
    },
    "Expert": {
        "eval": ("evaluate", "Measure searches and answers on your own questions."),
        "ablate": ("ablate", "Show which stages and presets pay off on your own questions."),
        "calibrate": ("calibrate", "Fit confidence limits to your documents."),
        "chunks": ("search", "Show whole chunks by id, and the chunks they refer to."),
        "diagnose": ("diagnose", "Show how unsure the model is of each word of an answer."),
        "graph": ("settings", "Print the research graph as a Mermaid diagram."),
        "replay": ("replay", "Run a recorded question again (`ask --trace`)."),
    },
}
"""Each command's module, and its line in the list of commands."""
COMMANDS = {name: found for group in GROUPS.values() for name, found in group.items()}
UNTRACED = {
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
}
"""Every variable that makes LangChain send questions and chunks to LangSmith, switched off."""


class Commands(click.Group):
    """Commands by name; a module is imported only for the command that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's own)
        """Return the names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's own)
        """Return a command, None where there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"research_agent.interfaces.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's own)
        """Write the lists without importing a command."""
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, about) for name, (_, about) in group.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin so, without importing a command."""
        commands = [
            CompletionItem(name, help=about)
            for name, (_, about) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@click.version_option(package_name="research-agent")
@OFFLINE
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="Log steps, model calls and searches to stderr, one JSON object a line.",
)
def main(log_level: Level | None) -> None:
    """Answer questions from your own documents, with citations that you can check."""
    # (A console that lacks a character shows "?"; what is piped in may be of another encoding.)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if os.environ.get("RESEARCH_AGENT_TRACING") != "true":
        os.environ |= UNTRACED
    if log_level:
        log_to_stderr(log_level)
    if os.environ.get("RESEARCH_AGENT_TRACING") == "otel":
        try:
            export_spans()
        except ConfigError as error:
            raise click.UsageError(f"{error}: {error.hint}") from error


if __name__ == "__main__":
    main()
