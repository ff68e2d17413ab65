"""What was learned about endpoints: kept over runs, forgotten in time, never in the way."""

import stat
from pathlib import Path

import pytest

from research_agent.models.adapters.capabilities_file import (
    CapabilitiesFile,
    ServerCapabilities,
    endpoint_key,
)

LEARNED = ServerCapabilities(refused=("logprobs", "temperature"))
KEY = endpoint_key("openai", "http://localhost/v1?key=secret", "m")


def test_kept_over_runs(tmp_path: Path) -> None:
    """Another object reads what one has written, into a folder that was not there."""
    path = tmp_path / "cache" / "endpoints.json"

    CapabilitiesFile(path).put(KEY, LEARNED)

    assert LEARNED == CapabilitiesFile(path).get(KEY)
    assert ServerCapabilities() == CapabilitiesFile(path).get("another")
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert [path] == list(path.parent.iterdir())
    assert "secret" not in path.read_text(encoding="utf-8")


def test_what_an_older_version_kept_is_read(tmp_path: Path) -> None:
    """A field that is gone does no harm, and one that is new has its empty value."""
    path = tmp_path / "endpoints.json"
    path.write_text('{"k": {"since": 5, "learned": {"rates": {}, "refused": ["stream"]}}}')

    assert ServerCapabilities(refused=("stream",)) == CapabilitiesFile(path, now=lambda: 6.0).get(
        "k"
    )


def test_old_entries_are_forgotten(tmp_path: Path) -> None:
    """After a week a server may have changed; repeating the same makes it no younger."""
    day = [0.0]
    file = CapabilitiesFile(tmp_path / "endpoints.json", now=lambda: day[0] * 86_400)
    file.put(KEY, LEARNED)
    day[0] = 6.9
    file.put(KEY, LEARNED)

    assert LEARNED == file.get(KEY)
    day[0] = 7.1
    assert ServerCapabilities() == file.get(KEY)
    file.put(KEY, LEARNED)
    day[0] = 14.0
    assert LEARNED == file.get(KEY)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"k": {"learned": {}}}',
        b'{"k": {"since": 1e999, "learned": {"refused": "perhaps"}}}',
        b" " * 2_000_000,
    ],
)
def test_damaged_file_is_ignored_and_replaced(content: bytes, tmp_path: Path) -> None:
    """Nothing is known then, and what is learned next is kept."""
    path = tmp_path / "endpoints.json"
    path.write_bytes(content)
    file = CapabilitiesFile(path)

    assert ServerCapabilities() == file.get("k")
    file.put("k", LEARNED)
    assert LEARNED == file.get("k")


def test_unwritable_place_is_no_fault(tmp_path: Path) -> None:
    """A file for the folder, a folder for the file: nothing is kept, nothing fails or stays."""
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    (tmp_path / "endpoints.json").mkdir()
    for path in (tmp_path / "taken" / "endpoints.json", tmp_path / "endpoints.json"):
        file = CapabilitiesFile(path)
        file.put(KEY, LEARNED)
        assert ServerCapabilities() == file.get(KEY)
    assert ["endpoints.json", "taken"] == sorted(path.name for path in tmp_path.iterdir())
