"""The command `diagnose`."""

import click

from research_agent.interfaces.cli.errors import told
from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE


@click.command("diagnose")
@click.argument("question")
@INDEX
@CONFIG
@click.option("--chunk", default="", metavar="ID", help="Measure with this chunk; else the best.")
@click.option("--noise", default="", metavar="ID", help="And with this; else an unrelated one.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def diagnose_command(
    *, question: str, index: str, config: str | None, chunk: str, noise: str, as_json: bool
) -> int:
    """Show how unsure the model is of each word of a short answer, with and without a chunk."""
    from research_agent.interfaces.cli import diagnosing

    return diagnosing.diagnose(
        question, index=index, config=config, chunk=chunk, noise=noise, as_json=as_json
    )
