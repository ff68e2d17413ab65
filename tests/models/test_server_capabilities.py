"""What was learned about endpoints: kept over runs, forgotten in time, never in the way."""

import stat
import time
from pathlib import Path

import pytest

from research_agent.models.adapters.capabilities_file import CapabilitiesFile, endpoint_key

LEARNED = ("logprobs", "temperature")
KEY = endpoint_key("openai", "http://localhost/v1?key=secret", "m")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "endpoints.json"


def test_kept_over_runs(tmp_path: Path) -> None:
    """Another object reads what one has written, into a folder that was not there."""
    path = tmp_path / "cache" / "endpoints.json"
    CapabilitiesFile(path).put(KEY, LEARNED)

    assert LEARNED == CapabilitiesFile(path).refused(KEY)
    assert () == CapabilitiesFile(path).refused("another")
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert [path] == list(path.parent.iterdir())
    assert "secret" not in path.read_text(encoding="utf-8")


def test_old_entries_are_forgotten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a week a server may have changed; repeating the same makes it no younger."""
    day, file = [0.0], CapabilitiesFile(path)
    monkeypatch.setattr("time.time", lambda: day[0] * 86_400)
    for day[0], refused in ((0.0, ()), (6.9, LEARNED), (7.1, ()), (14.0, LEARNED)):
        assert refused == file.refused(KEY)
        file.put(KEY, LEARNED)


@pytest.mark.parametrize(
    ("content", "refused"),
    [
        (b"", ()),
        (b"{", ()),
        (b"[]", ()),
        (b"\xff\xfe", ()),
        (b'{"k": {"learned": {}, "since": NOW}}', ()),
        (b'{"k": [NOW, []]}', ()),
        (b'{"k": [1e999, ["x"]]}', ()),
        (b'{"k": [9e99, 5]}', ()),
        (b'{"k": [NOW, ["stream"]]}', ("stream",)),
        (b" " * 2_000_000, ()),
    ],
)
def test_other_content_is_read_or_replaced(
    content: bytes, refused: tuple[str, ...], path: Path
) -> None:
    """Of a damaged file nothing is known, and what is learned next is kept."""
    path.write_bytes(content.replace(b"NOW", str(time.time()).encode()))
    file = CapabilitiesFile(path)

    assert refused == file.refused("k")
    file.put("k", LEARNED)
    assert LEARNED == file.refused("k")


def test_unwritable_place_is_no_fault(tmp_path: Path, path: Path) -> None:
    """A file for the folder, a folder for the file: nothing is kept, nothing fails or stays."""
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    path.mkdir()
    for place in (tmp_path / "taken" / "endpoints.json", path):
        file = CapabilitiesFile(place)
        file.put(KEY, LEARNED)
        assert () == file.refused(KEY)
    assert ["endpoints.json", "taken"] == sorted(found.name for found in tmp_path.iterdir())
