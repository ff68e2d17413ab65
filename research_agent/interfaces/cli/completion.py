"""The command `completion`."""

import click
from click.shell_completion import get_completion_class

from research_agent.interfaces.cli.process import told

PROGRAM = "research-agent"
VARIABLE = "_RESEARCH_AGENT_COMPLETE"
"""Where the shell says what it wants to know; click reads it."""
HOW = """Print what completes commands, options and names of indexes in a shell.

\b
bash: research-agent completion bash > ~/.local/share/bash-completion/completions/research-agent
zsh:  research-agent completion zsh > "${fpath[1]}/_research-agent"
fish: research-agent completion fish > ~/.config/fish/completions/research-agent.fish
"""


@click.command("completion", help=HOW)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
@told
def completion_command(context: click.Context, *, shell: str) -> int:
    """Print the script of a shell; nothing else is written."""
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(made(context.find_root().command, {}, PROGRAM, VARIABLE).source())
    return 0
