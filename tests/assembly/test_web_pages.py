"""Addresses to index: fetched once a run, asked again by version, and never when offline."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_agent.assembly.index import list_documents
from research_agent.assembly.parsing import local_files, reader
from research_agent.assembly.updating import Indexer
from research_agent.assembly.web_pages import WebPages, WebReader
from research_agent.errors import PathError
from research_agent.interfaces.cli.process import lift
from research_agent.settings import DocumentSettings, Settings
from research_agent.types.documents import IndexReport
from tests.fakes import WordEmbedder
from tests.interfaces.commands import run
from tests.web_server import Page, Site, website

SETTINGS = DocumentSettings()


@pytest.fixture
def site() -> Iterator[Site]:
    page = b"<title>Bread</title><h1>Rye</h1><p>Rye is sour, <a href='b'>as b says</a>.</p>"
    with website({"/guide/": Page(page, headers={"ETag": '"1"'})}) as running:
        yield running


def pages(tmp_path: Path, *urls: str, offline: bool = False, seconds: float = 120) -> WebPages:
    settings = DocumentSettings(parse_seconds=seconds)
    files = local_files(settings)
    return WebPages(files, urls, tmp_path / "web", settings, offline=offline, own=True)


def update(tmp_path: Path, *paths: str) -> IndexReport:
    with pages(tmp_path, *paths) as found, reader(SETTINGS) as files:
        indexer = Indexer(
            settings=Settings(),
            embedder=WordEmbedder(),
            files=found,
            reader=WebReader(files, found),
        )
        return indexer.update(str(tmp_path / "index"), paths)


def test_a_page_is_indexed_and_fetched_again_only_when_it_has_changed(
    site: Site, tmp_path: Path
) -> None:
    """The second run asks by ETag; a page that has gone stays, and the report says why."""
    url = f"{site.url}/guide/"
    first, second = update(tmp_path, f"{url}#rye"), update(tmp_path, url)
    (kept,) = list_documents(str(tmp_path / "index"))

    assert [("indexed", url, 1)] == [(f.status, f.path, f.chunks) for f in first.files]
    assert ["unchanged"] == [file.status for file in second.files]
    assert ("Bread", "guide", url) == (kept.record.title, kept.record.doc_id, kept.record.path)
    site.pages["/guide/"] = Page(b"<p>Wheat is mild.</p>", headers={"ETag": '"2"'})
    assert ["indexed"] == [file.status for file in update(tmp_path, url).files]
    site.pages.clear()
    note = tmp_path / "a.md"
    note.write_text("A note.")
    last = {file.path: file for file in update(tmp_path, url, str(note)).files}
    assert ("skipped", 1) == (last[url].status, last[url].chunks)
    assert last[url].reason.startswith("127.0.0.1 answers 404 Not Found; what was indexed of it")
    assert ["200", "304", "200", "404"] == [status for _, status in site.asked]


def test_an_address_is_asked_only_where_it_is_named(site: Site, tmp_path: Path) -> None:
    """Runs over other paths leave it alone, also where they hold the same content."""
    url = f"{site.url}/guide/"
    update(tmp_path, url)
    copy = tmp_path / "copy.html"
    copy.write_bytes(site.pages["/guide/"].body)
    asked = len(site.asked)

    report = update(tmp_path, str(copy), site.url)

    assert 2 == report.documents
    assert [("/", "404")] == site.asked[asked:]


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_reply_that_never_ends_is_given_up(site: Site, tmp_path: Path, part: str) -> None:
    """Its bytes keep coming; the time that a file may take ends it."""
    url, began = f"{site.url}/endless", time.monotonic()
    site.pages["/endless"] = Page(endless=part)
    with pages(tmp_path, url, seconds=1) as found:
        (report,) = found.find([url]).skipped

    assert report.reason.startswith("took more than 1 s")
    assert time.monotonic() - began < 20
    assert [] == list((tmp_path / "web").iterdir())


def test_the_type_of_a_page_says_how_it_is_read(site: Site, tmp_path: Path) -> None:
    """Where the type says little, the address does; what has no reader is refused."""
    kinds = {
        "/7": ("application/pdf", ".pdf"),
        "/a.md": ("text/plain", ".md"),
        "/a": ("text/plain", ".txt"),
        "/b.md": ("text/html", ".html"),
        "/a.csv": ("application/octet-stream", ".csv"),
        "/a.png": ("image/png", ""),
    }
    site.pages.update({path: Page(b"a", kind) for path, (kind, _) in kinds.items()})
    urls = [site.url + path for path in kinds]
    with pages(tmp_path, *urls) as found:
        files = found.find(urls)
        read = [Path(found.local(file.path)).suffix for file in files.files]

    assert [ending for _, ending in kinds.values() if ending] == read
    assert ["no reader for image/png"] == [report.reason for report in files.skipped]


def test_offline_nothing_is_fetched(site: Site, tmp_path: Path) -> None:
    """The run ends with the reason, and no server is asked."""
    url = f"{site.url}/guide/"
    with pages(tmp_path, url, offline=True) as found:
        assert ["not fetched: the program runs offline (--offline, models.offline)"] == [
            report.reason for report in found.find([url]).skipped
        ]
    assert [] == site.asked


def test_commands_refuse_addresses_that_they_would_have_to_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`index --offline`, `index --dry-run` and `ask --docs` say what to do; loopback is refused."""
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path))
    url = "http://127.0.0.1:9/a"

    assert "no public address" in run("index", url).stderr
    assert 2 == run("index", "--dry-run", url).exit_code
    assert f"research-agent index {url}" in run("ask", "--docs", url, "Why?").stderr
    try:
        assert "offline" in run("index", "--offline", url).stderr
    finally:
        lift()


def test_without_files_the_error_names_the_address(tmp_path: Path) -> None:
    """A run that can read nothing ends with the reasons."""
    url = "http://127.0.0.1:9/a"
    with pytest.raises(PathError, match=r"127\.0\.0\.1 cannot be reached"):
        update(tmp_path, url)
