"""The preset "seed": each stage of the united systems acts, seen by its consequence."""

import re
from collections.abc import Sequence
from dataclasses import replace

from research_agent.interfaces.agent import ResearchAgent
from research_agent.ports import Ports
from research_agent.presets import with_preset
from research_agent.settings import Settings
from research_agent.types import Completion, Message
from research_agent.types.events import (
    Calls,
    Checked,
    ChunksPruned,
    Decisions,
    Event,
    EvidenceChosen,
    Finished,
    Queries,
)
from research_agent.types.references import Edge
from tests import fakes
from tests.retrieval import searching
from tests.retrieval.searching import Log

QUESTION = "Which heat in degrees should a baker choose for rye bread in the oven at 3 bars?"
STORY, TABLE = "guide-2", "tables-0"
CHUNKS = (
    fakes.chunk("Rye bread in the oven at 3 bars needs degrees as in Table 2.", 0),
    fakes.chunk("Rye bread in the oven: how it is baked, a note by hand.", 1),
    fakes.chunk("Rye bread and an oven: a long story.", 2),
    fakes.chunk("The number of degrees of rye bread in the oven is 230.", 3),
    fakes.chunk("Table 2. 230.", 0, "tables"),
)
OTHER_NUMBER = "Which heat should a baker choose for rye bread in the oven at 4 bars?"
REWRITE = f'{{"kind": "rewrite", "queries": ["{OTHER_NUMBER}"]}}'


class Writer:
    """Its first answers are guesses; a story makes it less sure than it is without any chunk."""

    def __init__(self) -> None:
        self.answers = [
            fakes.says("Zebras sing [c1].", sure=False),
            fakes.says("Rye bread needs 3 degrees [c1].", sure=False),
            fakes.says("The number of degrees of rye bread in the oven is 230 [c3]."),
        ]

    def complete(self, role: str, messages: Sequence[Message], **_: object) -> Completion:
        if role == "prune":
            return fakes.says("230 degrees", sure="story" not in messages[-1].text)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Reader:
    """Wants what a chunk refers to, and keeps the others."""

    def complete(self, role: str, messages: Sequence[Message], **_: object) -> Completion:
        assert "filter" == role
        shown = re.findall(r'<chunk key="(k\d+)"([^>]*)>', messages[-1].text)
        verdicts = (f"{k} -> {'EXPAND_1' if 'refers_to' in head else 'KEEP'}" for k, head in shown)
        return fakes.says("\n".join(verdicts))


def given_ports(log: Log) -> Ports:
    planner = fakes.ScriptedChat(
        fakes.says(REWRITE), fakes.says("I would search."), fakes.calls("rye 230")
    )
    given = searching.ports(CHUNKS, [Edge("guide-0", TABLE, "see")])
    return replace(given, planner=planner, answerer=Writer(), filterer=Reader(), blend_log=log)


def test_every_stage_of_the_seeds_acts() -> None:
    log = Log()
    with ResearchAgent(given_ports(log), with_preset(Settings(), "seed"), fakes.PROMPTS) as agent:
        events: list[Event] = list(agent.stream(QUESTION))
    result = next(event.result for event in events if isinstance(event, Finished))
    queries = next(event for event in events if isinstance(event, Queries))
    first, *later = [event.author for event in events if isinstance(event, Calls)]
    filtered = next(event for event in events if isinstance(event, Decisions))
    pruned = next(event for event in events if isinstance(event, ChunksPruned))
    chosen = next(event for event in events if isinstance(event, EvidenceChosen))
    checks = [(e.decision, e.reason) for e in events if isinstance(e, Checked)]

    assert "missing: 3" in queries.verdicts[0].blocked
    assert OTHER_NUMBER not in result.queries
    rulings = {said.validator: said.figures for said in queries.verdicts[0].rulings}
    assert {"kept words", "similarity", "retrieval"} == rulings.keys()
    assert {"own", "found", "overlap"} <= rulings["retrieval"].keys()
    assert ("planner", "model") == (first, later[0])
    assert log.kept[0][1].changed > 0
    assert 1 == filtered.expanded
    assert STORY in [item.chunk_id for item in pruned.stats.decisions if not item.kept]
    read = [item.chunk_id for item in chosen.evidence]
    assert (True, False) == (TABLE in read, STORY in read)
    assert [("again", "pruned"), ("again", "uncertain")] == checks[:2]
    assert (2, "seed") == (result.rounds, result.preset)
