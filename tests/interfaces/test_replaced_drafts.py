"""A draft that another one replaces: its sentences are queries by then, and stay hidden."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from pydantic_core import to_json

from graphs.chat import ChatInput, build_chat_graph
from research_agent import ResearchAgent
from research_agent.answering.draft_redaction import public_result
from research_agent.interfaces.events import event_line
from research_agent.interfaces.report.recording import RunRecord
from research_agent.types import Completion
from research_agent.types.events import Finished, Watching
from research_agent.types.result import ResearchResult
from tests.fakes import PROMPTS, QUESTION, calls, says
from tests.graphs.serving import EVERYTHING, FIRST, PLAN, Server
from tests.interfaces.reporting import html_of

REFUSED = "It weighs 700 grams."
WORSE = f"{REFUSED[:-1]} [c1]. It costs 55 francs [c1]."
REWRITE = {"kind": "rewrite", "queries": [REFUSED]}


@dataclass
class Repeating(Server):
    """Models that ask, in the second round, for what the first draft said."""

    drafts: Sequence[str] = ()

    def _reply(self, what: str) -> Completion:
        again = what in self.said
        if what == "answer":
            self.said.append(what)
            return says(self.drafts[again])
        if what == "refine":
            self.said.append(what)
            return says(json.dumps(REWRITE if again else PLAN))
        reply = super()._reply(what)
        if what == "plan_calls" and "answer" in self.said and reply.tool_calls:
            return calls(REFUSED, "note 3")
        return reply


LAST = {
    "answered": FIRST,
    "unconfirmed": "Zebras sing loudly [c1].",
    "refused": FIRST.replace("1184", "1999"),  # (contradicted)
}
"""What the second draft says, by the status that it leads to."""


def models(status: str) -> Repeating:
    return Repeating(drafts=(WORSE, LAST[status]))


def final(agent: ResearchAgent, *, drafts: bool = False) -> tuple[str, ResearchResult]:
    """Return all events as text, and the last one's result."""
    events = list(agent.stream(QUESTION, drafts=drafts))
    assert isinstance(events[-1], Finished)
    return "\n".join(map(event_line, events)), events[-1].result


@pytest.mark.parametrize("status", LAST)
def test_it_is_in_no_event_and_no_result(status: str) -> None:
    """Neither in queries nor in advice; who asks for drafts sees it."""
    with ResearchAgent(models(status).ports(), EVERYTHING, PROMPTS) as agent:
        told, result = final(agent)
    with ResearchAgent(models(status).ports(), EVERYTHING, PROMPTS) as agent:
        whole, _ = final(agent, drafts=True)
    with ResearchAgent(models(status).ports(), EVERYTHING, PROMPTS) as agent:
        raw = agent.ask(QUESTION)

    assert (status, 2) == (result.status, result.rounds)
    assert "700 grams" in whole
    assert REFUSED in raw.queries
    assert "700 grams" not in told
    assert "700 grams" not in raw.advice
    assert result.queries == public_result(raw).queries
    assert "…" in result.queries
    assert () == result.unsaid


@pytest.mark.parametrize("status", LAST)
def test_it_is_in_no_conversation_and_no_report(status: str, tmp_path: Path) -> None:
    """What is kept of a turn is what may be shown; a report, watched or not, shows no more."""
    graph = build_chat_graph(models(status).ports(), EVERYTHING, PROMPTS)
    state = graph.invoke(ChatInput(messages=[HumanMessage(QUESTION)]))
    record, given = RunRecord(), models(status).ports()
    with ResearchAgent(given, EVERYTHING, PROMPTS) as agent:
        *_, last = agent.stream(QUESTION, watching=Watching(on_step=(record.see,)))
    alone = models(status).ports()
    with ResearchAgent(alone, EVERYTHING, PROMPTS) as agent:
        asked = agent.ask(QUESTION)

    assert status == state["turns"][0]["status"]
    assert b"700 grams" not in to_json(state)
    assert isinstance(last, Finished)
    for result, seen in ((last.result, record), (asked, RunRecord())):
        html = html_of(tmp_path, result, given.chunks, seen)  # type: ignore[arg-type]  # (in memory)
        assert "note 3" in html
        assert "700 grams" not in html
