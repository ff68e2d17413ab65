"""The command `history`, and what `ask` keeps for it."""

import json
import os
from datetime import UTC, datetime
from typing import Any

import click

from research_agent.answering.draft_redaction import public_result
from research_agent.assembly.sessions import session_place
from research_agent.conversation.sessions import ASKED
from research_agent.errors import ResearchAgentError, SessionError
from research_agent.interfaces.chat.conversation import kept_result
from research_agent.interfaces.cli.options import JSON, SETTINGS
from research_agent.interfaces.cli.process import exits, start
from research_agent.interfaces.cli.rendering import print_result
from research_agent.interfaces.cli.terminal import note, say, say_json
from research_agent.interfaces.own_graphs import state
from research_agent.settings import SessionSettings
from research_agent.types.result import ResearchResult

KEPT = 200
"""Questions of `ask` that are kept."""


def keep(result: ResearchResult, index: str, settings: SessionSettings) -> None:
    """Keep the result of `ask`; where that fails it is told, and nothing else changes."""
    try:
        with session_place(settings, os.environ).table() as table:
            known = table.begin(ASKED, index)
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
@SETTINGS
@JSON
@click.option("--clear", is_flag=True, help="Delete the questions that `ask` has kept.")
@exits
def history_command(*, number: int | None, config: str | None, as_json: bool, clear: bool) -> int:
    """List earlier questions; with a NUMBER, show that answer again."""
    with session_place(start(config).sessions, os.environ).table() as table:
        found = table.get(ASKED)
        if clear:
            if found:
                table.delete(found.thread)
            say("nothing of `ask` is kept any more")
            return 0
        rows = table.results(found.thread) if found else []
    kept = {turn + 1: json.loads(text) for turn, text in rows}
    if number is None:
        listed = [_line(at, row) for at, row in kept.items()]
        if as_json:
            say_json([{"number": at, **row} for at, row in kept.items()])
        else:
            say("\n".join(listed) or "nothing was asked yet")
        return 0
    if number not in kept:
        hint = "research-agent history lists those there are"
        raise SessionError(f"there is no question {number}", hint=hint)
    if as_json:
        say_json(kept[number]["result"])
        return 0
    result = kept_result(json.dumps(kept[number]["result"]))
    say(f"{_line(number, kept[number])}\n", dim=True, error=True)
    print_result(result)
    return 0


def _line(number: int, row: dict[str, Any]) -> str:
    result, at = row["result"], row["at"][:16].replace("T", " ")
    return f"{number:>4}  {at}  {result['status']:<11}  {result['question']}"
