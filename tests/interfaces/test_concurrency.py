"""Questions at the same time: all under way at once, and nothing of one in another."""

import asyncio
from pathlib import Path
from threading import Barrier, BrokenBarrierError, Lock
from typing import Any

import pytest

from graphs.state import ResearchInput
from research_agent import ResearchAgent
from research_agent.types.events import Event, Finished, Hits
from tests.interfaces.commands import Model, index_of, served
from tests.loopback import Json, text_reply, token

CITIES = ("Oslo", "Lima", "Rome", "Bonn", "Cork", "Graz", "Pisa", "Turku")
WAIT = 30.0


def asked_of(request: Json) -> str:
    """Return the city that a request asks for."""
    question = str(request["messages"][-1]["content"]).rpartition("bridge")[0]
    return max(CITIES, key=question.rfind)


class Together(Model):
    """Answers only when as many requests as there are places wait for it."""

    def __init__(self, places: int) -> None:
        super().__init__()
        self.barrier, self.lock = Barrier(places), Lock()
        self.under_way = self.most = 0

    def reply(self, request: Json) -> Json:
        with self.lock:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        try:
            self.barrier.wait(WAIT)
        except BrokenBarrierError:
            self.most = -1
        with self.lock:
            self.under_way -= 1
        if request["max_tokens"] == 1:
            return text_reply("yes", tokens=[token("yes", -0.1, {"no": -2.5})])
        city = asked_of(request)
        return text_reply(f"The bridge of {city} is {metres(city)} metres long [c1].")


def metres(city: str) -> int:
    return 100 + 11 * CITIES.index(city)


bridges = index_of(
    {
        f"{city}.md": f"# {city}\n\nThe bridge of {city} is {metres(city)} metres long.\n"
        for city in CITIES
    }
)


@pytest.mark.parametrize("places", [8, 4])
def test_questions_at_once_are_kept_apart(
    tmp_path: Path, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many are under way as there are places; answers, evidence and events are their own.

    The compiled graph, too, has threads of its own where an event loop runs it.
    """
    model = Together(places)
    questions = [f"How long is the bridge of {city}? The bridge" for city in CITIES]
    answers = [f"The bridge of {c} is {metres(c)} metres long [c1]." for c in CITIES]

    async def read(agent: ResearchAgent, question: str) -> list[Event]:
        return [event async for event in agent.astream(question)]

    async def read_all(agent: ResearchAgent) -> tuple[list[list[Event]], list[Any]]:
        streams = await asyncio.gather(*(read(agent, question) for question in questions))
        asked = (agent.graph.ainvoke(ResearchInput(question=text)) for text in questions)
        return list(streams), await asyncio.gather(*asked)

    monkeypatch.setenv("RESEARCH_AGENT_MODELS__CONCURRENCY", str(places))
    given = {"evidence": {"max_chunks": 1}, "budget": {"rounds": 1}}
    with served(model, tmp_path, **given) as config, ResearchAgent.open(config=config) as agent:
        streams, outputs = asyncio.run(read_all(agent))

    assert places == model.most
    assert answers == [output["result"].answer for output in outputs]
    for city, answer, events in zip(CITIES, answers, streams, strict=True):
        last = events[-1]
        assert isinstance(last, Finished)
        assert answer == last.result.answer
        assert [city] == [item.hit.chunk.doc_id for item in last.result.evidence]
        assert all(city in event.query for event in events if isinstance(event, Hits))
