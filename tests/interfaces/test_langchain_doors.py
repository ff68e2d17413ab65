"""LangChain's objects in, and the agent as LangChain's objects out."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import HumanMessage

from graphs.state import ResearchInput
from research_agent import ResearchAgent, Scope
from research_agent.errors import (
    ConfigError,
    IndexingError,
    IndexMismatchError,
    QuestionError,
    ToolInputError,
)
from tests.interfaces.commands import ANSWER, BAKED
from tests.models.langchain_objects import (
    Listed,
    PlainModel,
    Seen,
    WordVectors,
    opened,
    saying,
)

TEXT = "Bread is baked at 230 degrees."
MODEL = PlainModel(answers=saying(ANSWER))
SAID = {"source": "https://b.org/bread.pdf", "title": "On bread", "page": 3, "date": "2024-05-01"}


@pytest.fixture
def agent(tmp_path: Path, data_home: Path) -> Iterator[ResearchAgent]:
    """An agent over an index of its own that holds one text."""
    assert not data_home.exists()
    with opened(tmp_path / "own", create=True, chat_model=MODEL) as made:
        made.add_documents([Document(TEXT, id="bread", metadata=SAID)])
        yield made


def test_objects_answer(agent: ResearchAgent) -> None:
    """A chat model without tools, log-probabilities and async answers from an index of texts."""
    result = agent.ask(BAKED)

    assert (ANSWER, "answered") == (result.answer, result.status)
    assert {"answer": "plain"} == dict(result.models)
    (cited,) = result.citations
    assert ("bread, PDF page 3", "https://b.org/bread.pdf") == (cited.place, cited.source)
    assert ("On bread", "2024-05-01") == (cited.title, cited.date)
    assert result.uncertainty.source == "overlap"


def test_texts_come_and_go(agent: ResearchAgent) -> None:
    """The next question sees them; an id is replaced, equal texts are one, and files are apart."""
    first = agent.add_texts(["Rye needs 90 minutes.", "Rye needs 90 minutes."], [{}, {}])
    agent.add_documents([Document(TEXT, id="bread", metadata={"source": "other.md"})])
    sources = [one.source for one in agent.documents().documents]

    assert first[0] == first[1]
    assert ["", "other.md"] == sorted(sources)
    assert ["bread"] == agent.delete(["bread", "nobody", ""])
    assert [] == agent.delete(["bread"])
    assert 1 == len(agent.documents().documents)
    (one,) = agent.add_texts("Wheat needs 60 minutes.")
    assert [one] == agent.delete(one)


def test_ids_stay_as_given(agent: ResearchAgent) -> None:
    """Also those that differ in a slash alone; they are what deletes, and the texts' names."""
    ids = ["https://x.org/a/b", "https://x.org/a_b", "v1.2", "50%2F"]
    texts = [f"Rye of field {number} needs water." for number in range(len(ids))]

    assert ids == agent.add_texts(texts, ids=ids)
    named = {one.doc_id for one in agent.documents().documents} - {"bread"}
    assert set(ids) == named
    assert ids[:1] == agent.delete(ids[:1])
    assert texts[1] == agent.document(ids[1])[0].text


def test_pages_of_a_file_are_one_document(agent: ResearchAgent) -> None:
    """As LangChain's PDF loaders give them: named as the file, in order, apart by their ids."""
    about = {"source": "/data/report.pdf", "total_pages": 3}
    pages = [Document(f"Page of rye {n}.", metadata={**about, "page": n}) for n in (2, 0, 1)]
    ids = agent.add_documents(pages)
    (report,) = [one for one in agent.documents().documents if one.doc_id == "report"]

    assert (3, 3) == (report.pages, report.chunks)
    assert [1, 2, 3] == [one.start_page for one in agent.document("report")]
    assert "report" == agent.search("rye").hits[0].chunk.doc_id
    assert "answered" == agent.ask(BAKED, scope=Scope(documents=("report", "bread"))).status
    assert ids[:1] == agent.delete(ids[:1])
    assert [1, 2] == [one.start_page for one in agent.document("report")]


def test_dates_of_texts(agent: ResearchAgent) -> None:
    """As loaders and databases write them; what is no date, and an empty text, is told."""
    dates = [1704189600, 20240102, "20240102", "2024/01/02", "D:20240102100000+01'00'", "2024"]
    data = [{"date": date} for date in dates]
    agent.add_texts([f"Rye of field {number}." for number in range(len(dates))], data)
    found = {one.date for one in agent.documents().documents if one.doc_id != "bread"}

    assert {"2024-01-02", "2024"} == found
    with pytest.warns(UserWarning, match=r"the text 'e': the date '12.03.2024' is not read"):
        agent.add_texts(["Oats."], [{"date": "12.03.2024"}], ids=["e"])
    with pytest.warns(UserWarning, match="the text 'e': it holds no text"):
        assert ["e"] == agent.add_texts([""], ids=["e"])
    wrong: Any = [None]
    with pytest.raises(ToolInputError, match="a text has to be a str, not NoneType"):
        agent.add_texts(wrong)
    with pytest.raises(ToolInputError, match="1 texts came with 2 ids"):
        agent.add_texts(["Oats."], ids=["e", "f"])


def test_threads_add_one_after_the_other(agent: ResearchAgent) -> None:
    """None is told that its own process is writing."""
    ids = [f"rye-{number}" for number in range(6)]
    with ThreadPoolExecutor(len(ids)) as threads:
        added = threads.map(lambda one: agent.add_texts([f"{one} needs water."], ids=[one]), ids)
        assert [[one] for one in ids] == list(added)

    assert {"bread", *ids} == {one.doc_id for one in agent.documents().documents}


def test_inner_messages_are_not_streamed(agent: ResearchAgent) -> None:
    """What inner models write is no message of the graph, neither drafts nor their JSON."""
    asked = ResearchInput(question=BAKED)
    streamed = agent.graph.stream(asked, stream_mode=["messages", "values"], subgraphs=True)
    kinds = [kind for _, kind, _ in streamed]

    assert "values" in kinds
    assert "messages" not in kinds


def test_a_known_id_is_replaced(agent: ResearchAgent) -> None:
    """Also by a text of the same length, by other metadata alone, and from another source."""
    added: tuple[tuple[str, dict[str, str]], ...] = (
        ("Rye needs 90 minutes.", {}),
        ("Rye needs 75 minutes.", {}),
        ("Rye needs 75 minutes.", {"title": "On rye"}),
        ("Rye needs 75 minutes.", {"title": "On rye", "source": "rye.md"}),
    )
    for text, data in added:
        agent.add_documents([Document(text, id="rye", metadata=data)])
        hit = agent.search("How long does rye need?").hits[0]
        (document,) = [one for one in agent.documents().documents if one.title != "On bread"]

        assert text in hit.chunk.text
        assert data.get("title", "") in document.title
        assert data.get("source", "") == document.source


def test_use_after_the_end_says_so(agent: ResearchAgent) -> None:
    """An index is not called damaged, nor to be made anew, because a program has closed it."""
    agent.close()
    for use in (lambda: agent.ask(BAKED), agent.documents, lambda: agent.search("bread")):
        with pytest.raises(IndexingError, match="is closed") as caught:
            use()
        assert "--rebuild" not in caught.value.hint


def test_files_are_indexed(agent: ResearchAgent, tmp_path: Path) -> None:
    """Indexing a folder leaves the texts alone, and the other way round."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "rye.md").write_text("Rye needs 90 minutes.", encoding="utf-8")
    report = agent.index(tmp_path / "docs")
    again = agent.index([str(tmp_path / "docs")])
    agent.delete(["bread"])

    assert (2, 1) == (report.documents, report.count("indexed"))
    assert (1, 0) == (again.count("unchanged"), again.embedded)
    assert ["rye"] == [one.doc_id for one in agent.documents().documents]


@pytest.mark.parametrize(
    ("embeddings", "said"),
    [
        (WordVectors(more=7), "vector has 263 numbers, those of the index 256"),
        (WordVectors(model="other"), "made with the embedding model word-vectors, not with other"),
    ],
)
def test_other_embeddings(
    agent: ResearchAgent, embeddings: WordVectors, said: str, tmp_path: Path
) -> None:
    """Another model, or another length under the same name, is named with what to do."""
    agent.close()

    with (
        pytest.raises(IndexMismatchError, match=said) as told,
        opened(tmp_path / "own", chat_model=MODEL, embeddings=embeddings) as other,
    ):
        other.ask(BAKED)
    assert "--rebuild" in told.value.hint


@pytest.mark.usefixtures("data_home")
def test_retriever_without_pages() -> None:
    """Its documents are cited without a page; those of the question's scope can be named."""
    found = [
        Document(TEXT, metadata={"source": "bread.pdf"}),
        Document("Cake is sweet.", metadata={"source": "https://b.org/cake"}),
        Document("Rye is dark.", metadata={"source": "rye.pdf", "page": 4, "total_pages": 9}),
        Document("Barley is old.", metadata={"source": "barley.pdf", "page": "7", "section": 2}),
        Document("Oats have no source."),
    ]
    with opened(chat_model=MODEL, found=found) as agent:
        result = agent.ask(BAKED)
        within = agent.ask(BAKED, scope=Scope(documents=("bread",)))
        places = {name: agent.document(name)[0].start_page for name in ("rye", "cake", "barley")}
        with pytest.raises(ConfigError, match="no index of its own"):
            agent.add_texts(["more"])

    (cited,) = result.citations
    assert (ANSWER, "bread", 0) == (result.answer, cited.place, cited.start_page)
    assert {"bread"} == {one.hit.chunk.doc_id for one in within.evidence}
    assert {"rye": 5, "cake": 1, "barley": 7} == places


@pytest.mark.usefixtures("data_home")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"index": "mine", "retriever": Listed(found=[])}, "either an index or a retriever"),
        ({"chat_model": {"writer": MODEL}}, "no role 'writer'"),
        ({"chat_model": "gpt-4o", "create": True}, "str is no chat model"),
    ],
)
def test_wrong_arguments(given: dict[str, Any], said: str) -> None:
    """They are refused with what is wrong."""
    with pytest.raises(ConfigError, match=said):
        ResearchAgent.open(**given)


@pytest.mark.usefixtures("data_home")
def test_roles_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each role gets its own object; whoever may ask this machine alone takes none."""
    checks = PlainModel(answers=saying("yes"), model_name="checker")
    given = {"chat": MODEL, "verifier": checks}
    monkeypatch.setenv("RESEARCH_AGENT_ANSWER__REFUSAL", "check")
    with opened(chat_model=given, found=[TEXT], embeddings=None) as agent:
        assert {"answer": "plain", "verifier": "checker"} == dict(agent.ask(BAKED).models)
    monkeypatch.setenv("RESEARCH_AGENT_MODELS__OFFLINE", "true")
    with pytest.raises(ConfigError, match="nobody knows whom a given object asks"):
        ResearchAgent.open(chat_model=MODEL, create=True)


def test_runnable(agent: ResearchAgent) -> None:
    """Called, in a chain, in a batch; callbacks and tags reach the graph and the given model."""
    asked, seen = agent.as_runnable(), Seen()
    result = asked.invoke(BAKED, {"callbacks": [seen], "tags": ["mine"]})
    chain = asked | (lambda found: found.status)

    assert ANSWER == result.answer
    tags = {name: tags for name, tags, _ in seen.ran}
    assert "mine" in tags["research"]
    assert "mine" in tags["chat model"]
    assert ["answered"] * 2 == chain.batch([BAKED, {"question": BAKED}], {"max_concurrency": 2})
    assert ["answered"] == list(chain.stream(BAKED))
    wrong: Any
    for wrong, got in (
        ({"question": BAKED, "where": "here"}, "question, where"),
        (HumanMessage(BAKED), "HumanMessage"),
        ([HumanMessage(BAKED)], "list"),
        (None, "NoneType"),
    ):
        with pytest.raises(QuestionError, match=f"it got {got}\n"):
            asked.invoke(wrong)


def test_runnable_takes_plain_limits(agent: ResearchAgent) -> None:
    """Limits and scope as JSON has them; a wrong field is named."""
    asked = agent.as_runnable()
    plain = {"limits": {"rounds": 1, "llm_calls": 9}, "scope": {"documents": ["bread"]}}

    assert "answered" == asked.invoke({"question": BAKED, **plain}).status
    assert "answered" == asked.invoke({"question": BAKED, "limits": None, "scope": None}).status
    with pytest.raises(ToolInputError, match="limits have to be Limits or a mapping of its fields"):
        asked.invoke({"question": BAKED, "limits": {"turns": 2}})
    with pytest.raises(QuestionError, match="scope has to be Scope or a mapping of its fields"):
        asked.invoke({"question": BAKED, "scope": ["bread"]})


def test_runnable_in_asyncio(agent: ResearchAgent) -> None:
    """With a scope, and several at once."""
    asked = agent.as_runnable()

    async def run() -> tuple[str, int]:
        result = await asked.ainvoke({"question": BAKED, "scope": Scope(documents=("bread",))})
        return result.status, len(await asked.abatch([BAKED, BAKED]))

    assert ("answered", 2) == asyncio.run(run())


def test_retriever_has_places(agent: ResearchAgent) -> None:
    """Page, section and score are metadata; a wrong file filter is an error with the nearest."""
    (found,) = agent.as_retriever(k=3).invoke("bread")
    data = found.metadata

    assert (TEXT, "bread") == (found.page_content, data["doc_id"])
    assert (3, "https://b.org/bread.pdf") == (data["page"], data["source"])
    assert data["score"] > 0
    with pytest.raises(ToolInputError, match="matches no document"):
        agent.as_retriever(file_filter="cake").invoke("bread")
