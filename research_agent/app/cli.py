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

from research_agent.app.scoping import Limits, scoped
from research_agent.app.telling import told

UNTRACED = {
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
}
"""Every variable that makes LangChain send questions and chunks to LangSmith, switched off."""
OFFLINE_KEY = "RESEARCH_AGENT_MODELS__OFFLINE"


def _go_offline(_context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 (click's own signature)
    """Set the key models.offline for this process, and for those that it starts."""
    if value:
        os.environ[OFFLINE_KEY] = "true"


OFFLINE = click.option(
    "--offline",
    is_flag=True,
    expose_value=False,
    callback=_go_offline,
    help="Ask nothing but this machine.",
)
INDEX = click.option(
    "--index",
    "index",
    default="default",
    show_default=True,
    metavar="NAME_OR_PATH",
    help="Which index: a name, or a folder (with a slash in it).",
)
CONFIG = click.option(
    "--config", "config", metavar="FILE", help="Settings; else research-agent.yaml in this folder."
)


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
    from research_agent.app import indexing

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
    from research_agent.app import listing

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
) -> int:
    """Show the chunks that fit a query best; no language model is asked."""
    from research_agent.app import searching

    return searching.search(
        query,
        index=index,
        config=config,
        k=k,
        as_json=as_json,
        limits=limits,
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
    from research_agent.app import showing_chunks

    return showing_chunks.chunks(
        chunk_ids, index=index, config=config, depth=depth, most=most, as_json=as_json
    )


@main.command("ask")
@click.argument("question")
@INDEX
@CONFIG
@click.option(
    "--docs",
    metavar="PATH",
    multiple=True,
    help="Index this file or folder first, in an index of its own, and ask that.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
@click.option("--show-evidence", is_flag=True, help="Print the chunks that the model read.")
@click.option("--show-prompt", is_flag=True, help="Print every message sent to a model.")
@click.option("--quiet", "-q", is_flag=True, help="Do not show the steps.")
@click.option("--report", default="", metavar="FILE", help="Also write a report to look at (HTML).")
@click.option("--force", is_flag=True, help="The report may replace a file that is no report.")
@OFFLINE
@told
def ask_command(  # noqa: PLR0913 (one argument an option)
    *,
    question: str,
    index: str,
    config: str | None,
    docs: tuple[str, ...],
    as_json: bool,
    show_evidence: bool,
    show_prompt: bool,
    quiet: bool,
    report: str,
    force: bool,
) -> int:
    """Answer a question from the indexed documents, or refuse."""
    from research_agent.app import asking

    given = click.get_current_context().get_parameter_source("index")
    if docs and given is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError("--docs has an index of its own: leave out --index, or --docs")
    return asking.ask(
        question,
        index=index,
        config=config,
        docs=docs,
        show=asking.Show(
            as_json=as_json,
            evidence=show_evidence,
            prompt=show_prompt,
            steps=not quiet,
            report=report,
            force=force,
        ),
    )


@main.command("calibrate")
@INDEX
@CONFIG
@click.option("--questions", default=0, type=click.IntRange(0, 100_000), help="How many to ask.")
@click.option(
    "--rate",
    default=0.15,
    show_default=True,
    type=click.FloatRange(0.01, 0.5),
    help="Share of errors allowed among the questions that are not refined.",
)
@click.option(
    "--max-minutes",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 1440),
    help="Begin no question after this long.",
)
@click.option("--rules", is_flag=True, help="Ask no model: make the questions by rules.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and do nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask whether to go on.")
@click.option("--json", "as_json", is_flag=True, help="Print threshold and questions as JSON.")
@OFFLINE
@told
def calibrate_command(  # noqa: PLR0913 (one argument an option)
    *,
    index: str,
    config: str | None,
    questions: int,
    rate: float,
    max_minutes: float,
    rules: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Fit to your documents how sure a first search has to be for a question to stay as it is."""
    from research_agent.app import calibrating

    wanted = calibrating.Wanted(
        questions=questions,
        rate=rate,
        max_minutes=max_minutes,
        rules=rules,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
    )
    return calibrating.calibrate(index, config=config, wanted=wanted)


@main.command("doctor")
@INDEX
@CONFIG
@OFFLINE
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.option("--no-models", is_flag=True, help="Ask no model.")
@told
def doctor_command(*, index: str, config: str | None, as_json: bool, no_models: bool) -> int:
    """Look at everything an answer needs, and name the command that cures what is wrong.

    The exit status is 1 where something is at fault.
    """
    from research_agent.app import doctoring

    return doctoring.doctor(index, config=config, as_json=as_json, ask=not no_models)


@main.group("config")
def config_group() -> None:
    """Show or write the settings."""


@config_group.command("show")
@CONFIG
@told
def config_show(*, config: str | None) -> int:
    """Print every key with its value and where it comes from."""
    from research_agent.app import configuring

    return configuring.show(config)


@config_group.command("init")
@click.argument("path", default="research-agent.yaml")
@told
def config_init(*, path: str) -> int:
    """Write a file with every key, its meaning, range and default."""
    from research_agent.app import configuring

    return configuring.init(path)


@main.group("models", invoke_without_command=True)
@CONFIG
@click.pass_context
def models_group(context: click.Context, config: str | None) -> None:
    """Show which model fills each role, and what is installed."""
    if context.invoked_subcommand is None:
        told(_models)(config)


def _models(config: str | None) -> int:
    from research_agent.app import modelling

    return modelling.show(config)


@models_group.command("prune-parts")
@told
def models_prune() -> int:
    """Free the installed copies of weights that have been joined and verified."""
    from research_agent.app import modelling

    return modelling.prune()


if __name__ == "__main__":
    main()
