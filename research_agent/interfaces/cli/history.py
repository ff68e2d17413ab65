"""The command `history`, and what `ask` keeps for it."""

import json
import os
from datetime import UTC, datetime

import click

from research_agent.answering.draft_redaction import public_result
from research_agent.assembly.sessions import SessionTable, session_place
from research_agent.errors import ResearchAgentError, SessionError
from research_agent.interfaces.chat.conversation import kept_result
from research_agent.interfaces.cli.options import JSON, SETTINGS
from research_agent.interfaces.cli.process import start, told
from research_agent.interfaces.cli.rendering import open_first, print_result
from research_agent.interfaces.cli.terminal import note, say, say_json
from research_agent.interfaces.own_graphs import state
from research_agent.settings import SessionSettings
from research_agent.types.result import ResearchResult

NAME = "(ask)"
"""The session that `ask` keeps; no conversation can have this name."""
KEPT = 200
"""Questions of `ask` that are kept."""


def keep(result: ResearchResult, index: str, settings: SessionSettings) -> None:
    """Keep the result of `ask`; where that fails it is told, and nothing else changes."""
    try:
        with session_place(settings, os.environ).table() as table:
            known = table.begin(NAME, index)
            turn = known.turns
            whole = json.loads(state.RESULT.dump_json(public_result(result)))
            kept = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "index": index}
            table.keep_result(known.thread, turn, json.dumps({**kept, "result": whole}))
            table.used(known.thread, turn + 1)
            table.forget_results(known.thread, turn + 1 - KEPT)
    except ResearchAgentError as error:
        note(f"not kept in the history: {error}")


@click.command("history")
@click.argument("number", required=False, type=click.IntRange(min=1))
@click.option("--session", metavar="NAME", help="Show a conversation of `chat` instead of `ask`.")
@SETTINGS
@JSON
@click.option("--open", "opens", is_flag=True, help="Open the first cited page in the browser.")
@click.option("--clear", is_flag=True, help="Delete the questions that `ask` has kept.")
@told
def history_command(
    number: int | None, session: str | None, config: str | None, **shown: bool
) -> int:
    """List earlier questions; with a NUMBER, show that answer again."""
    settings = start(config).sessions
    with session_place(settings, os.environ).table() as table:
        if shown["clear"]:
            if found := table.get(NAME):
                table.delete(found.thread)
            say("nothing of `ask` is kept any more")
            return 0
        kept = _kept(table, session)
    if number is not None:
        _show(number, kept, as_json=shown["as_json"], opens=shown["opens"])
    elif shown["as_json"]:
        say_json([{"number": at, **row} for at, row in kept.items()])
    else:
        say("\n".join(_line(at, row) for at, row in kept.items()) or "nothing was asked yet")
    return 0


def _show(number: int, kept: dict[int, dict[str, object]], *, as_json: bool, opens: bool) -> None:
    if number not in kept:
        raise SessionError(
            f"there is no question {number}", hint="research-agent history lists those there are"
        )
    if as_json:
        say_json(kept[number]["result"])
        return
    result = kept_result(json.dumps(kept[number]["result"]))
    say(f"{_line(number, kept[number])}\n", dim=True, error=True)
    print_result(result)
    if opens:
        open_first(result)


def _kept(table: SessionTable, session: str | None) -> dict[int, dict[str, object]]:
    """Return what was kept by its number from 1; raises SessionError for no such conversation."""
    found = table.get(session or NAME)
    if session and found is None:
        names = ", ".join(one.name for one in table.all() if one.name != NAME) or "none"
        raise SessionError(f"there is no session {session}", hint=f"There are: {names}")
    rows = table.results(found.thread) if found else []
    read = {turn + 1: json.loads(text) for turn, text in rows}
    return {at: one if "result" in one else {"result": one} for at, one in read.items()}


def _line(number: int, row: dict[str, object]) -> str:
    result, at = row["result"], str(row.get("at", ""))[:16].replace("T", " ")
    told = result if isinstance(result, dict) else {}
    return "  ".join(filter(None, (f"{number:>4}", at, f"{told['status']:<11}", told["question"])))
