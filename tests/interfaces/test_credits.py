"""Who wrote a cited document: from the file's own properties to BibTeX and CSL."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from research_agent import ResearchAgent
from research_agent.documents.adapters.office.docx import parse_docx
from research_agent.documents.adapters.pdf import parse_pdf
from research_agent.errors import PathError
from tests.documents.small_pdf import small_pdf
from tests.interfaces.commands import BAKED
from tests.models.langchain_objects import PlainModel, opened
from tests.needed import needed_package

PAGE = [(50.0, 700.0, 12.0, "Bread is baked at 230 degrees.")]
INFO = "/Title (On 100% bread) /Author (Baker, Ann; Bob Miller) /CreationDate (D:20240813) "
NOTES = "# Notes\n\nRye bread is baked at 190 degrees.\n"


def cites_all(messages: list[AIMessage], *_: object, **__: object) -> AIMessage:
    """Answer with a sentence from each passage that was shown."""
    shown, said = str(messages[-1].content), []
    for text in ("Bread is baked at 230 degrees", "Rye bread is baked at 190 degrees"):
        key = shown.partition(text)[0].rpartition('key="')[2].partition('"')[0]
        said.append(f"{text} [{key}].")
    return AIMessage(" ".join(said))


@pytest.fixture
def agent(tmp_path: Path, data_home: Path) -> Iterator[ResearchAgent]:
    assert not data_home.exists()
    docs = tmp_path / "docs"
    docs.mkdir()
    info = f"{INFO} /Subject (Kitchen Science 12, doi:10.1000/182.)"
    (docs / "on bread.pdf").write_bytes(small_pdf([PAGE], info=info))
    (docs / "notes.md").write_text(NOTES, encoding="utf-8")
    model = PlainModel(answers=cites_all)
    with opened(tmp_path / "own", create=True, chat_model=model) as made:
        made.index(docs)
        yield made


def test_citations_name_authors(agent: ResearchAgent, tmp_path: Path) -> None:
    """What a file does not say stays empty; each cited document has one entry."""
    result = agent.ask(BAKED)
    known = {one.doc_id: (one.authors, one.doi) for one in result.citations}

    assert {"on bread": (("Baker, Ann", "Bob Miller"), "10.1000/182"), "notes": ((), "")} == known
    bibtex, csl = result.bibliography(), json.loads(result.bibliography("csl"))
    assert r"title = {On 100\% bread}" in bibtex
    assert "author = {{Baker, Ann} and {Bob Miller}}" in bibtex
    assert "@misc{on-bread," in bibtex
    entry = next(one for one in csl if one["id"] == "on bread")
    assert {"literal": "Bob Miller"} in entry["author"]
    assert ("10.1000/182", {"date-parts": [[2024, 8, 13]]}) == (entry["DOI"], entry["issued"])
    with pytest.raises(ValueError, match="use bibtex or csl"):
        result.bibliography("apa")  # type: ignore[arg-type]  # (it is no style)
    text = result.to_markdown()
    assert f"## {BAKED}\n\n" == text[: len(BAKED) + 5]
    for one in result.citations:
        assert f"[^{one.key}]" in text.split("\n\n")[1]
        assert f"[^{one.key}]: {one.place}" in text

    agent.write_report(result, tmp_path / "answer.html")
    assert "230 degrees" in (tmp_path / "answer.html").read_text(encoding="utf-8")
    (tmp_path / "mine.html").write_text("mine", encoding="utf-8")
    with pytest.raises(PathError, match="is no report"):
        agent.write_report(result, tmp_path / "mine.html")


@pytest.mark.parametrize(
    ("info", "doi"),
    [
        ("/doi (10.1000/182)", "10.1000/182"),
        ("/Subject (Volume 10.12, pages 3/4)", ""),
        ("/Subject (\xfe\xff\xd8\x00)", ""),
    ],
)
def test_properties_of_pdfs(info: str, doi: str) -> None:
    """A DOI is read where it is one; nothing is guessed."""
    quality = parse_pdf(small_pdf([PAGE], info=f"{INFO} {info}")).quality
    assert (doi, "Baker, Ann; Bob Miller") == (quality.doi, quality.authors)


def test_properties_of_docx(tmp_path: Path) -> None:
    """Author and identifier are its core properties."""
    needed_package("docx", "docx")
    import docx

    document = docx.Document()
    document.add_paragraph("Bread is baked at 230 degrees.")
    document.core_properties.author = "Ann Baker"
    document.core_properties.identifier = "https://doi.org/10.1000/182"
    document.save(str(tmp_path / "bread.docx"))
    quality = parse_docx((tmp_path / "bread.docx").read_bytes()).quality

    assert ("Ann Baker", "10.1000/182") == (quality.authors, quality.doi)


def test_texts_bring_theirs(agent: ResearchAgent) -> None:
    """Metadata of an added text count as properties of a file do."""
    data = {"author": ["Ann Baker", "Bob Miller"], "doi": "doi:10.1000/9", "title": "_Spelt_ <b>"}
    agent.add_texts(["Spelt bread is baked at 200 degrees."], [data])
    outline = next(one for one in agent.documents().documents if one.title.startswith("_Spelt"))

    assert (("Ann Baker", "Bob Miller"), "10.1000/9") == (outline.authors, outline.doi)
