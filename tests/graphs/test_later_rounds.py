"""The search of a later round: what was read is skipped, and the model is told of it."""

from dataclasses import replace

from graphs.search import build_search_graph
from graphs.state import SearchInput, SearchOutput
from research_agent.settings import FilterSettings, SearchSettings, Settings
from research_agent.types import Hit, Probe
from research_agent.types.evidence import Evidence
from research_agent.types.refinement import Refinement
from research_agent.types.verification import Answer, Check
from tests.fakes import PROMPTS, ScriptedChat, calls, chunk, ports, says

TEXTS = (
    "Acme was founded by Ada Li.",
    "Ada Li was born in Rye.",
    "Acme makes bread.",
    *(f"Acme is {what}." for what in ("old", "big", "new")),
)
OFF = Settings(filter=FilterSettings(mode="off"))
READ = Evidence("c1", Hit(chunk(TEXTS[0], 0)))
FIRST = SearchInput(
    question="Where was the founder of Acme born?",
    probe=Probe("Acme"),
    refinement=Refinement("keep", ("Acme",)),
)
LATER = FIRST.model_copy(update={"evidence": (READ,)})


def found(
    given: SearchInput, planner: ScriptedChat | None = None, settings: Settings = OFF
) -> tuple[str, ...]:
    graph = build_search_graph(ports(ScriptedChat(), planner, texts=TEXTS), settings, PROMPTS)
    output = SearchOutput.model_validate(graph.invoke(given))
    return tuple(hit.chunk.text for hit in output.found.hits)


def test_what_was_read_is_skipped() -> None:
    assert TEXTS[0] in found(FIRST)
    assert [text for text in found(FIRST) if text != TEXTS[0]] == list(found(LATER))


def test_the_model_is_told_what_was_read_and_what_is_missing() -> None:
    settings = replace(OFF, search=SearchSettings(mode="tool_calling"))
    missing = Answer(missing=("the birthplace",))
    check = Check("again", "unconfirmed", "birthplace", doubts=("She was <born> here.",))
    given = LATER.model_copy(update={"answer": missing, "check": check})
    planner = ScriptedChat(calls("Ada Li born"), says("done"))
    hits = found(given, planner, settings)
    first = ScriptedChat(calls("Ada Li born"), says("done"))
    found(FIRST, first, settings)
    prompt = planner.asked[0][1]

    assert "Not found or not confirmed so far:\n- the birthplace\n- She was <born" in prompt
    assert f'the answer has them already">\n[k1] (guide; text): {TEXTS[0]}' in prompt
    assert "Found so far:\nnothing yet" in first.asked[0][1]
    assert "Not found or not confirmed" not in first.asked[0][1]
    assert TEXTS[1] == hits[0]
    assert TEXTS[0] not in hits


def test_documents_that_the_probe_found_are_named_first() -> None:
    settings = replace(OFF, search=SearchSettings(mode="tool_calling"))
    planner = ScriptedChat(calls("Acme"), says("done"))
    given = ports(ScriptedChat(), planner, texts=TEXTS)
    (guide,) = given.documents()
    many = [replace(guide, doc_id=f"d{n}", title=f"The {'long ' * 9} title {n}") for n in range(50)]
    probe = Probe("Acme", (Hit(chunk(TEXTS[0], doc_id="d42")),))
    graph = build_search_graph(replace(given, documents=lambda: many), settings, PROMPTS)
    graph.invoke(FIRST.model_copy(update={"probe": probe}))
    outline = planner.asked[0][1].partition("Documents: ")[2].splitlines()

    assert outline[1].startswith("d42 (The long")
    assert all(f"d{n}" in " ".join(outline) for n in range(50))


QUERIES = (FIRST.question, "Who founded Acme?", "Where was #1 born?")
HOPS = Refinement("decompose", QUERIES)
BY_ADA = says('{"answer": "founded by Ada Li"}')


def test_a_part_that_others_wait_for_may_find_what_was_read() -> None:
    later = LATER.model_copy(update={"refinement": HOPS, "probe": Probe(FIRST.question)})
    graph = build_search_graph(
        ports(ScriptedChat(), ScriptedChat(BY_ADA), texts=TEXTS), OFF, PROMPTS
    )
    output = SearchOutput.model_validate(graph.invoke(later))
    searched = [query for event in output.trace for query in event.queries]

    assert "Where was founded by Ada Li born?" == searched[-1]


def test_the_chunk_that_answers_a_part_is_evidence() -> None:
    few = replace(OFF, search=SearchSettings(max_chunks=5))
    parts = Refinement("decompose", ("Acme is", "Acme makes", "Where was #1 born?"))
    given = FIRST.model_copy(update={"refinement": parts, "probe": Probe("Acme is")})
    bread = says('{"answer": "bread"}')
    texts = found(given, ScriptedChat(bread), few)

    assert TEXTS[2] in texts[:4]
