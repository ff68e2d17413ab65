"""What steps write becomes events, and what a refused draft said does not."""

from dataclasses import replace
from typing import Any

from research_agent.answering.draft_redaction import public_result
from research_agent.answering.events import Known, finished, started
from research_agent.types import Hit, ModelCall, Probe, TraceEvent
from research_agent.types.calls import CallResult, ToolCall
from research_agent.types.claims import Claim
from research_agent.types.events import (
    Checked,
    ChunksPruned,
    Decisions,
    DraftWritten,
    Event,
    EvidenceChosen,
    Hits,
    SentenceChecked,
    Spent,
    StepFinished,
    Warned,
)
from research_agent.types.evidence import Evidence
from research_agent.types.filtering import ChunkDecision, FilterStats
from research_agent.types.pruning import Pruned, PruneDecision, PruneStats
from research_agent.types.verification import Answer, Check, Draft
from tests.fakes import GOOD, QUESTION, WRONG, ScriptedChat, chunk, ports, says
from tests.graphs.serving import run

CLAIM = Claim("It is a mile.", problem="the evidence does not hold mile")
RIGHT = Claim("It is wet.", ("c1",), verdict="supported")
CHECK = Check("again", "unconfirmed", "How long? It is a mile.", doubts=("It is a mile.",))


def made(step: str, written: dict[str, Any], known: Known | None = None) -> tuple[Event, ...]:
    return finished(known or Known(round=1), step, written)[1]


def test_searches_tell_hits_and_decisions_without_their_text() -> None:
    hit = Hit(chunk("A secret text."), 0.5, similarity=0.75)
    _, probed = made("retrieve", {"probe": Probe("q", (hit,))})
    stats = FilterStats("llm", 2, 1, decisions=(ChunkDecision("guide-0", "keep", kept=True),))
    call = ToolCall(3, "search_chunks_tool", {"query": "rye"})
    results = [CallResult(call, (), stats), CallResult(call, searched=False)]
    _, found, decided, looked_up = made("run_call", {"results": results})

    assert isinstance(probed, Hits)
    assert isinstance(found, Hits)
    assert isinstance(decided, Decisions)
    assert isinstance(looked_up, Hits)
    assert ("q", 1) == (probed.query, probed.total)
    assert ("guide-0", 0.75) == (probed.hits[0].chunk_id, probed.hits[0].similarity)
    assert "secret" not in str(probed)
    assert ("rye", "search_chunks_tool") == (found.query, found.tool)
    assert ("llm", 2) == (decided.mode, decided.original)
    assert (1, stats.decisions) == (decided.kept, decided.decisions)


def test_costs_add_up_and_warnings_are_told_once() -> None:
    trace = TraceEvent(calls=(ModelCall("answer", 10, 2),), notes=("slow",), seconds=1.5)
    known, first = finished(Known(round=1), "answer", {"answer": Answer(), "trace": [trace]})
    _, second = finished(known, "answer", {"answer": Answer(), "trace": [trace]})
    spent = [event.usage for event in (*first, *second) if isinstance(event, Spent)]

    assert ["slow"] == [event.text for event in (*first, *second) if isinstance(event, Warned)]
    assert [10, 20] == [usage.prompt_tokens for usage in spent]
    assert isinstance(first[0], StepFinished)
    assert 1.5 == first[0].seconds


def test_seconds_of_the_search_are_those_of_its_steps() -> None:
    known, _ = started(Known(trace=(TraceEvent(started=0.0, seconds=9.0),)), "search")
    for at in (10.0, 11.0):
        trace = [TraceEvent(started=at, seconds=2.0)]
        known, _ = finished(known, "collect_more", {"trace": trace})
    now, (ended, *_) = finished(known, "search", {"trace": list(known.trace)})

    assert isinstance(ended, StepFinished)
    assert 3.0 == ended.seconds
    assert known.trace == now.trace


def test_evidence_is_told_under_its_keys_behind_what_was_pruned() -> None:
    evidence = (Evidence("c1", Hit(chunk("Text."))),)
    decisions = (PruneDecision("guide-1", kept=False, why="gain"),)
    pruned = Pruned(PruneStats("threshold", "gain", 2, 1, decisions=decisions))
    ended, left_out, chosen = made("select_evidence", {"evidence": evidence, "pruned": pruned})

    assert isinstance(ended, StepFinished)
    assert "1 chunks: guide p1; pruned 1 of 2 by gain" == ended.summary
    assert isinstance(left_out, ChunksPruned)
    assert isinstance(chosen, EvidenceChosen)
    assert ("c1", "guide-0") == (chosen.evidence[0].key, chosen.evidence[0].chunk_id)
    assert 2 == len(made("select_evidence", {"evidence": evidence}))


def test_unconfirmed_sentences_have_no_words_before_the_end() -> None:
    written = {"check": CHECK, "best": Draft(1, (CLAIM, RIGHT))}
    given = (Known(round=1), Known(drafts=True, round=1))
    hidden, told = (
        [event for event in made("verify", written, known) if isinstance(event, SentenceChecked)]
        for known in given
    )

    assert [("unconfirmed", "", ""), ("supported", "It is wet.", "")] == [
        (one.verdict, one.text, one.problem) for one in hidden
    ]
    assert ["It is a mile.", "It is wet."] == [event.text for event in told]
    worse = made("verify", {"check": Check(), "best": Draft(1, (RIGHT,))}, Known(round=2))
    assert [Checked] == [type(event) for event in worse[1:]]  # (an earlier round's is not told)


def test_queries_of_later_rounds_do_not_repeat_a_draft() -> None:
    known, _ = finished(Known(round=1), "verify", {"check": CHECK, "best": Draft(1, (CLAIM,))})
    events = finished(known, "retrieve", {"probe": Probe(CHECK.next_query)})[1]

    assert "mile" not in str(events)
    assert isinstance(events[1], Hits)
    assert "How long? …" == events[1].query
    written = {"answer": Answer("It is a mile.", answerable=0.9)}
    (_, told) = made("answer", written, Known(drafts=True))
    assert 1 == len(made("answer", written))
    assert DraftWritten(text="It is a mile.", answerable=0.9) == told  # (to those who ask)


def test_a_refusal_has_no_draft() -> None:
    result, _ = run(ports(ScriptedChat(says(WRONG))))
    queries = (QUESTION, f"{QUESTION} It has 1088 bytes.")
    public = public_result(replace(result, queries=queries))
    answer, _ = run(ports(ScriptedChat(says(GOOD))))

    assert "refused" == result.status
    assert "1088" in str(result)
    assert "1088" not in str(public)
    assert (QUESTION, f"{QUESTION} …") == public.queries
    assert answer is public_result(answer)
