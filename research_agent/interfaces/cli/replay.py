"""The command that runs a recorded question again."""

import click

from research_agent.interfaces.cli.errors import told
from research_agent.interfaces.cli.options import CONFIG, OFFLINE


@click.command("replay")
@click.argument("trace", metavar="TRACE")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a setting, such as filter.mode=off; can be given several times.",
)
@click.option(
    "--from",
    "node",
    default="retrieve",
    show_default=True,
    metavar="NODE",
    help="Begin with this node, from the recorded state before it.",
)
@click.option(
    "--round",
    "round_",
    default=1,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Which run of the node, where there are several.",
)
@click.option("--index", default="", metavar="NAME_OR_PATH", help="Another index than the run's.")
@CONFIG
@click.option("--live", is_flag=True, help="Ask your models for prompts the trace does not hold.")
@click.option("--offline-only", is_flag=True, hidden=True, help="As without --live.")
@click.option("--json", "as_json", is_flag=True, help="Print difference and result as JSON.")
@OFFLINE
@told
def replay_command(  # noqa: PLR0913 (one argument an option)
    *,
    trace: str,
    changes: tuple[str, ...],
    node: str,
    round_: int,
    index: str,
    config: str | None,
    live: bool,
    offline_only: bool,
    as_json: bool,
) -> int:
    """Run a question again that `ask --trace` has recorded, and print what is different.

    Nobody is asked: a prompt that the trace does not hold is an error. With --live the models of
    your own settings are, never those of the trace.
    """
    if live and offline_only:
        raise click.UsageError("give --live or --offline-only")
    from research_agent.interfaces.cli import replaying

    return replaying.replay(
        trace,
        replaying.Wanted(
            changes=changes,
            node=node,
            round=round_,
            index=index,
            config=config,
            live=live,
            as_json=as_json,
        ),
    )
