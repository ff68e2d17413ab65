"""The search of a round: what it may spend and is told, what was read before, and hops."""

from dataclasses import replace

import pytest

from graphs.state import SearchState
from research_agent.context import RunContext
from research_agent.retrieval.step import retrieve
from research_agent.settings import BudgetSettings, FilterSettings, SearchSettings, Settings
from research_agent.types import Chunk, Completion, Hit, ModelCall, Probe, TraceEvent
from research_agent.types.budget import NOTHING
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer, Check
from tests.fakes import BYPASSING, MODEL_CALLS, PROMPTS, ScriptedChat, calls, chunk, ports, says
from tests.graphs.asking import search

TEXTS = (
    "Acme was founded by Ada Li.",
    "Ada Li was born in Rye.",
    "Acme makes bread.",
    *(f"Acme is {what}." for what in ("old", "big", "new")),
)
OFF = Settings(filter=FilterSettings(mode="off"))
CALLING = replace(OFF, search=SearchSettings(mode="tool_calling"))
READ = (Evidence("c1", Hit(chunk(TEXTS[0], 0))),)
BORN = "Where was the founder of Acme born?"
HOPS = (BORN, "Who founded Acme?", "Where was #1 born?")


def texts(state: SearchState) -> list[str]:
    return [hit.chunk.text for hit in state.found.hits]


def test_the_search_finds_what_the_probe_does_not_hand_on() -> None:
    unranked = Hit(Chunk("lost", "guide", "Nothing ranks this."), 1.0, 0.9)
    given = ports(ScriptedChat())
    found = search(given, BYPASSING, "bread", probe=Probe("bread", (unranked,))).found.hits
    context = RunContext(given, BYPASSING, PROMPTS).within(NOTHING)
    own = retrieve("bread", Check(), context).value.hits

    assert "Bread is baked at 230 degrees." == found[0].chunk.text
    assert [hit for hit in own if (hit.similarity or 0) >= 0.1] == list(found)


def test_filter_knows_the_question_and_tells_that_all_is_gone() -> None:
    gone = Completion('{"k1": "DISCARD: other", "k2": "DISCARD: other"}', ModelCall("filter"))
    filterer, question = ScriptedChat(gone), "Which ML-KEM bread has bytes?"
    settings = replace(
        BYPASSING, filter=FilterSettings(mode="llm"), search=SearchSettings(max_chunks=1)
    )
    given = ports(ScriptedChat(), filterer=filterer)
    found = search(given, settings, "ML-KEM bread bytes", question=question)
    (result,), prompt = found.results, filterer.asked[0][1]

    assert f"Question: {question}" in prompt
    assert "This search: ML-KEM bread bytes" in prompt
    assert (2, 1) == (len(filterer.asked), len(result.hits))
    assert "try other words" in result.told
    assert ["other"] == [d.reason for d in result.stats.decisions if d.kept]


@pytest.mark.parametrize(("spent", "author"), [(0, "model"), (36, "model"), (38, "planner")])
def test_search_gets_what_is_left(spent: int, author: str) -> None:
    before = TraceEvent(tuple(ModelCall("answer") for _ in range(spent)), node="answer")
    planner = ScriptedChat(calls("bread degrees"))
    found = search(ports(ScriptedChat(), planner), MODEL_CALLS, "bread", trace=(before,))

    assert [before] == list(found.trace[:1])
    assert "plan_calls" == found.trace[1].node
    assert (author == "model") == bool(planner.asked)
    assert (author == "planner") == any("planner wrote" in note for note in found.trace[1].notes)


def test_parallel_calls_share_what_is_left() -> None:
    settings = replace(
        MODEL_CALLS,
        budget=BudgetSettings(llm_calls=12, tool_calls=10),
        search=SearchSettings(mode="tool_calling", max_turns=1),
    )
    planner = ScriptedChat(calls("bread", "bytes", "degrees"))
    share = search(ports(ScriptedChat(), planner), settings, "x").plan.share

    assert (3, 3) == (share.llm_calls, share.tool_calls)
    assert share.tokens < 100_000 // 3


def test_what_was_read_is_skipped() -> None:
    given = ports(ScriptedChat(), texts=TEXTS)
    first = texts(search(given, OFF, "Acme"))

    assert TEXTS[0] in first
    assert [text for text in first if text != TEXTS[0]] == texts(
        search(given, OFF, "Acme", evidence=READ)
    )


def test_the_model_is_told_what_was_read_and_what_is_missing() -> None:
    later, first = (ScriptedChat(calls("Ada Li born"), says("done")) for _ in range(2))
    found = search(
        ports(ScriptedChat(), later, texts=TEXTS),
        CALLING,
        "Acme",
        evidence=READ,
        answer=Answer(missing=("the birthplace",)),
        check=Check("again", "unconfirmed", "birthplace", doubts=("She was <born> here.",)),
    )
    search(ports(ScriptedChat(), first, texts=TEXTS), CALLING, "Acme")
    prompt = later.asked[0][1]

    assert "Not found or not confirmed so far:\n- the birthplace\n- She was <born" in prompt
    assert f'the answer has them already">\n[k1] (guide; text): {TEXTS[0]}' in prompt
    assert "Found so far:\nnothing yet" in first.asked[0][1]
    assert "Not found or not confirmed" not in first.asked[0][1]
    assert TEXTS[1] == texts(found)[0]
    assert TEXTS[0] not in texts(found)


def test_documents_that_the_probe_found_are_named_first() -> None:
    planner = ScriptedChat(calls("Acme"), says("done"))
    given = ports(ScriptedChat(), planner, texts=TEXTS)
    (guide,) = given.documents()
    many = [replace(guide, doc_id=f"d{n}", title=f"The {'long ' * 9} title {n}") for n in range(50)]
    probe = Probe("Acme", (Hit(chunk(TEXTS[0], doc_id="d42")),))
    search(replace(given, documents=lambda: many), CALLING, "Acme", probe=probe)
    outline = planner.asked[0][1].partition("Documents: ")[2].splitlines()

    assert outline[1].startswith("d42 (The long")
    assert all(f"d{n}" in " ".join(outline) for n in range(50))


def test_a_part_that_others_wait_for_may_find_what_was_read() -> None:
    planner = ScriptedChat(says('{"answer": "founded by Ada Li"}'))
    given = ports(ScriptedChat(), planner, texts=TEXTS)
    found = search(given, OFF, *HOPS, probe=Probe(BORN), evidence=READ)
    searched = [query for event in found.trace for query in event.queries]

    assert "Where was founded by Ada Li born?" == searched[-1]


def test_the_chunk_that_answers_a_part_is_evidence() -> None:
    few = replace(OFF, search=SearchSettings(max_chunks=5))
    given = ports(ScriptedChat(), ScriptedChat(says('{"answer": "bread"}')), texts=TEXTS)
    parts = ("Acme is", "Acme makes", "Where was #1 born?")

    assert TEXTS[2] in texts(search(given, few, *parts, probe=Probe("Acme is")))[:5]
