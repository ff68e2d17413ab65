"""Addresses to index: fetched once a run, asked again by version, and never when offline."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from research_agent.assembly import sources
from research_agent.assembly.index import list_documents
from research_agent.assembly.parsing import parse_file
from research_agent.assembly.sources import Sources
from research_agent.documents.adapters.web import fetch
from research_agent.errors import PathError
from research_agent.interfaces.cli.options import OFFLINE_KEY
from research_agent.settings import DocumentSettings, Settings
from research_agent.types.documents import IndexReport
from tests.indexing import indexer
from tests.interfaces.commands import run
from tests.web_server import Page, Site, website

PAGE = b"<title>Bread</title><h1>Rye</h1><p>Rye is sour, <a href='b'>as b says</a>.</p>"
READER: Any = SimpleNamespace(read=parse_file)


class Here:
    """Fetches without a child."""

    def __init__(self, *_: object, **__: object) -> None:
        """Take what the child would take."""

    def call(self, request: str) -> dict[str, object]:
        return {"value": fetch(request)}

    def close(self) -> None:
        """There is no child."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(sources, "SandboxedFunction", Here)
    with website({"/guide/": Page(PAGE, headers={"ETag": '"1"'})}) as running:
        yield running


def opened(tmp_path: Path, *urls: str, settings: Settings | None = None) -> Sources:
    return Sources(READER, urls, tmp_path / "web", settings or Settings(), own=True)


def update(tmp_path: Path, *paths: str) -> IndexReport:
    with opened(tmp_path, *paths) as found:
        return indexer(files=found, reader=found).update(str(tmp_path / "index"), paths)


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
    site.pages["/guide/"] = Page(b"<p>Wheat is mild.</p>")
    again = [update(tmp_path, url).files[0].status for _ in range(2)]
    assert ["indexed", "unchanged"] == again
    site.pages.clear()
    note = tmp_path / "a.md"
    note.write_text("A note.")
    last = {file.path: file for file in update(tmp_path, url, str(note)).files}
    assert ("skipped", 1) == (last[url].status, last[url].chunks)
    assert last[url].reason.startswith("127.0.0.1 answers 404 Not Found; what was indexed of it")
    assert ["200", "304", "200", "200", "404"] == [status for _, status in site.asked]


def test_an_address_is_asked_only_where_it_is_named(site: Site, tmp_path: Path) -> None:
    """Runs over other paths leave it alone, also where they hold the same content."""
    update(tmp_path, f"{site.url}/guide/")
    copy = tmp_path / "copy.html"
    copy.write_bytes(PAGE)

    report = update(tmp_path, str(copy), site.url)

    assert 2 == report.documents
    assert ["/guide/", "/"] == [path for path, _ in site.asked]


def test_a_reply_that_never_ends_is_given_up(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes keep coming; the time that a file may take ends it."""
    monkeypatch.undo()
    url, began = f"{site.url}/endless", time.monotonic()
    site.pages["/endless"] = Page(endless=True)
    settings = Settings(documents=DocumentSettings(parse_seconds=1))
    with opened(tmp_path, url, settings=settings) as found:
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
    found = opened(tmp_path, *urls)
    files = found.find(urls)

    assert [ending for _, ending in kinds.values() if ending] == [
        Path(found.local(file.path)).suffix for file in files.files
    ]
    assert ["no reader for image/png"] == [report.reason for report in files.skipped]


def test_offline_nothing_is_fetched(site: Site, tmp_path: Path) -> None:
    """The run ends with the reason, and no server is asked."""
    offline = Settings(models=replace(Settings().models, offline=True))
    url = f"{site.url}/guide/"
    reports = opened(tmp_path, url, settings=offline).find([url]).skipped

    assert ["not fetched: the program runs offline (--offline, models.offline)"] == [
        report.reason for report in reports
    ]
    assert [] == site.asked


def test_commands_refuse_addresses_that_they_would_have_to_fetch(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`index --offline`, `index --dry-run` and `ask --docs` say what to do; loopback is refused."""
    monkeypatch.setenv("RESEARCH_AGENT_HOME", str(tmp_path))
    monkeypatch.setenv(OFFLINE_KEY, "false")  # (--offline sets it)
    url = "http://127.0.0.1:9/a"

    assert "no public address" in run("index", url).stderr
    assert 2 == run("index", "--dry-run", url).exit_code
    assert f"research-agent index {url}" in run("ask", "--docs", url, "Why?").stderr
    assert "offline" in run("index", "--offline", url).stderr
    with pytest.raises(PathError, match=r"127\.0\.0\.1 cannot be reached"):
        update(tmp_path, url)
    assert [] == site.asked
