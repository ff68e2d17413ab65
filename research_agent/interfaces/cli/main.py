"""The command line: what can be asked for, and which function does it.

Only click is imported here; each command imports what it needs when it runs, so that `--help`
and a mistyped option answer at once.

Exit status: 0 done (also a refusal: it is a result), 1 an error that is told on stderr, 2 wrong
usage, 3 an index was made but some files could not be read, 4 the answer was given but its
report could not be written, 130 interrupted.
"""

import os
from typing import Literal

import click

from research_agent.interfaces.cli.chat import chat_command
from research_agent.interfaces.cli.diagnose import diagnose_command
from research_agent.interfaces.cli.doors import graph_command, mcp_command
from research_agent.interfaces.cli.errors import told
from research_agent.interfaces.cli.options import (
    CONFIG,
    DOCS,
    INDEX,
    OFFLINE,
    PRESET,
    ROUNDS,
    index_is_named,
)
from research_agent.interfaces.cli.replay import replay_command
from research_agent.interfaces.cli.scope import Limits, scoped
from research_agent.interfaces.cli.upkeep import (
    calibrate_command,
    config_group,
    doctor_command,
    models_group,
)

UNTRACED = {
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
}
"""Every variable that makes LangChain send questions and chunks to LangSmith, switched off."""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="research-agent")
@OFFLINE
def main() -> None:
    """Answer questions over your own documents, with citations that can be checked."""
    if os.environ.get("RESEARCH_AGENT_TRACING") != "true":
        os.environ |= UNTRACED


@main.command("index")
@click.argument("paths", nargs=-1, metavar="PATH...")
@INDEX
@CONFIG
@click.option("--rebuild", is_flag=True, help="Forget what is indexed and read everything again.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@click.option("--prune", is_flag=True, help="Also forget what folders held that are empty now.")
@click.option("--list", "list_", is_flag=True, help="Show the indexes there are.")
@click.option("--remove", metavar="NAME_OR_PATH", help="Remove an index (never the documents).")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@OFFLINE
@told
def index_command(  # noqa: PLR0913 (one argument an option)
    *,
    paths: tuple[str, ...],
    index: str,
    config: str | None,
    rebuild: bool,
    dry_run: bool,
    prune: bool,
    list_: bool,
    remove: str | None,
    as_json: bool,
) -> int:
    """Read documents (PDF, DOCX, Markdown, HTML, text, code) and keep them searchable."""
    from research_agent.interfaces.cli import index as indexing

    if list_:
        return indexing.show_indexes(as_json=as_json)
    if remove:
        return indexing.remove(remove)
    if not paths:
        raise click.UsageError("name at least one file or folder: research-agent index PATH")
    return indexing.index(
        paths,
        index=index,
        config=config,
        as_json=as_json,
        dry_run=dry_run,
        rebuild=rebuild,
        prune=prune,
    )


@main.command("documents")
@INDEX
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def documents_command(*, index: str, as_json: bool) -> int:
    """List the documents of an index, and how well each could be read."""
    from research_agent.interfaces.cli import documents as listing

    return listing.documents(index, as_json=as_json)


@main.command("search")
@click.argument("query")
@INDEX
@CONFIG
@click.option("-k", "k", default=8, show_default=True, type=click.IntRange(1, 500))
@click.option("--json", "as_json", is_flag=True, help="Print the hits as JSON.")
@click.option(
    "--mode",
    type=click.Choice(("hybrid", "dense", "lexical")),
    help="By meaning and words, by one alone; else retrieval.mode.",
)
@click.option("--exact", is_flag=True, help="Search the words as they are: no kind of question.")
@click.option("--explain", is_flag=True, help="Show the kind of question, and every ranking.")
@click.option("--exclude", multiple=True, metavar="CHUNK_ID", help="Not this chunk again.")
@OFFLINE
@told
@scoped
def search_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    *,
    query: str,
    index: str,
    config: str | None,
    k: int,
    as_json: bool,
    mode: Literal["hybrid", "dense", "lexical"] | None,
    exact: bool,
    explain: bool,
    exclude: tuple[str, ...],
) -> int:
    """Show the chunks that fit a query best; no language model is asked."""
    from research_agent.interfaces.cli import search as searching

    return searching.search(
        query,
        index=index,
        config=config,
        k=k,
        as_json=as_json,
        limits=limits,
        exclude=exclude,
        mode=mode,
        exact=exact,
        explain=explain,
    )


@main.command("chunks")
@click.argument("chunk_ids", nargs=-1, required=True, metavar="ID...")
@INDEX
@CONFIG
@click.option(
    "--depth",
    default=0,
    show_default=True,
    type=click.IntRange(0, 10),
    help="Follow references so many steps.",
)
@click.option(
    "--max",
    "most",
    default=100,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Show at most so many chunks.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@OFFLINE
@told
def chunks_command(
    *,
    chunk_ids: tuple[str, ...],
    index: str,
    config: str | None,
    depth: int,
    most: int,
    as_json: bool,
) -> int:
    """Show chunks in full by their ids, and what they refer to."""
    from research_agent.interfaces.cli import chunks as showing_chunks

    return showing_chunks.chunks(
        chunk_ids, index=index, config=config, depth=depth, most=most, as_json=as_json
    )


@main.command("ask")
@click.argument("question")
@INDEX
@CONFIG
@PRESET
@ROUNDS
@DOCS
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option("--show-evidence", is_flag=True, help="Print the chunks that the model read.")
@click.option("--show-prompt", is_flag=True, help="Print every message sent to a model.")
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option("--events", is_flag=True, help="Print what happens, a line of JSON an event.")
@click.option("--drafts", is_flag=True, help="Events tell drafts too, before they are checked.")
@click.option("--report", default="", metavar="FILE", help="Also write a report to look at (HTML).")
@click.option("--trace", default="", metavar="FOLDER", help="Record the run, to replay it.")
@click.option("--force", is_flag=True, help="The report may replace a file that is no report.")
@OFFLINE
@told
@scoped
def ask_command(  # noqa: PLR0913 (one argument an option)
    limits: Limits,
    *,
    question: str,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    as_json: bool,
    show_evidence: bool,
    show_prompt: bool,
    quiet: bool,
    events: bool,
    drafts: bool,
    report: str,
    trace: str,
    force: bool,
) -> int:
    """Answer a question from the indexed documents, or refuse."""
    from research_agent.interfaces.cli import ask as asking

    if as_json and events:
        raise click.UsageError("the result is the last of the --events: leave out --json")
    if drafts and not events:
        raise click.UsageError("--drafts are --events: give both")
    index_is_named(docs)
    return asking.ask(
        question,
        index=index,
        config=config,
        docs=docs,
        limits=limits,
        show=asking.Show(
            as_json=as_json,
            events=events,
            drafts=drafts,
            evidence=show_evidence,
            prompt=show_prompt,
            steps=not quiet,
            report=report,
            trace=trace,
            force=force,
        ),
    )


for command in (
    chat_command,
    calibrate_command,
    diagnose_command,
    doctor_command,
    config_group,
    models_group,
    graph_command,
    mcp_command,
    replay_command,
):
    main.add_command(command)

if __name__ == "__main__":
    main()
