"""A shared index in a bucket, and what its users are told when the bucket cannot be used."""

import json
from collections.abc import Iterator

import pytest

from research_agent import errors
from research_agent.index.adapters.shared import storage as storage_module
from research_agent.index.adapters.shared.reading import SharedReader
from research_agent.index.adapters.shared.searching import SharedWords
from research_agent.index.adapters.shared.storage import Storage
from research_agent.text.paths import INDEX_MARK
from tests.index.shared_harness import document, put, texts
from tests.object_storage import BUCKET, bucket, refusing, use

WHERE = f"s3://{BUCKET}/team"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with bucket() as found:
        yield found


@pytest.fixture
def place(url: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(url, monkeypatch)
    return f"{WHERE}/{request.node.name[:40]}"


def test_an_index_in_a_bucket_is_written_and_searched(place: str) -> None:
    put(place, document("a", "bread is baked", "end"), document("b", "cake"))
    put(place, document("a", "bread is eaten"))
    reader = SharedReader(Storage.at(place))
    assert (2, ["bread is eaten", "cake"]) == (reader.state.number, texts(place, reader))
    (hit,) = SharedWords(reader).search("baking eaten", k=3)
    assert ["bread is eaten"] == [chunk.text for chunk in reader.chunks([hit.chunk_id])]


def test_a_bucket_that_vanishes_is_told_and_nothing_is_lost(place: str) -> None:
    put(place, document("a", "bread"))
    reader = SharedReader(Storage.at(place))
    files = {name: reader.storage.get(name) for name in reader.storage.names()}
    reader.storage.delete([name for name in files if "chunks" in name])
    with pytest.raises(errors.IndexingError, match="a file of it is gone"):
        texts(place, SharedReader(Storage.at(place)))
    for name, content in files.items():
        reader.storage.put(name, content or b"")
    assert ["bread"] == texts(place)
    with pytest.raises(errors.IndexMissingError, match="its bucket does not exist"):
        put("s3://nobody-has-this/team", document("a", "bread"))


def test_an_index_of_a_newer_version_is_refused(place: str) -> None:
    put(place, document("a", "bread"))
    storage = Storage.at(place)
    (name,) = storage.names("generations/")
    newer = {**json.loads(storage.get(name) or b""), "format": 99, "other": 1}
    storage.put("generations/0000000002.json", json.dumps(newer).encode())
    for act in (SharedReader, lambda _: put(place, document("b", "cake"))):
        with pytest.raises(errors.IndexMismatchError, match="tables of version 99"):
            act(storage)


def test_a_place_with_other_files_is_not_taken(place: str) -> None:
    Storage.at(place).put("holiday.jpg", b"1")
    with pytest.raises(errors.PathError, match=r"holds other files, such as holiday\.jpg"):
        put(place, document("a", "bread"))
    assert None is Storage.at(place).get(INDEX_MARK)


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        (403, "AccessDenied", "refuses access.*AccessDenied"),
        (403, "SignatureDoesNotMatch", "refuses access.*SignatureDoesNotMatch"),
        (403, "RequestTimeTooSkewed", "refuses access.*RequestTimeTooSkewed"),
        (404, "NoSuchBucket", "its bucket does not exist"),
        (503, "SlowDown", "its storage does not answer"),
    ],
)
def test_what_a_server_refuses_is_told(
    status: int, code: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_module, "RETRIES", 1)
    with refusing(lambda _: (status, code)) as url:
        use(url, monkeypatch)
        with pytest.raises(errors.IndexingError, match=told) as caught:
            SharedReader(Storage.at(WHERE))
        assert caught.value.hint
        with pytest.raises(errors.IndexingError, match=told):
            put(WHERE, document("a", "bread"))


def test_a_server_that_is_busy_is_asked_again_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def busy(method: str) -> tuple[int, str]:
        asked.append(method)
        return (503, "SlowDown") if len(asked) < 4 else (404, "NoSuchKey")

    monkeypatch.setattr(storage_module, "RETRIES", 3)
    with refusing(busy) as url:
        use(url, monkeypatch)
        assert (None, 4) == (Storage.at(WHERE).get(INDEX_MARK), len(asked))
        monkeypatch.setattr(storage_module, "RETRIES", 2)
        asked.clear()
        with pytest.raises(errors.IndexUnavailableError) as caught:
            Storage.at(WHERE).get(INDEX_MARK)
    assert (True, 3) == (caught.value.retryable, len(asked))


def test_errors_of_ours_are_no_faults_of_the_storage() -> None:
    """They are RuntimeErrors, as some of the storage's own are."""
    ended = errors.StoppedError("The caller has gone.")
    with pytest.raises(errors.StoppedError) as caught, storage_module.faults("here"):
        raise ended
    assert ended is caught.value


@pytest.mark.parametrize("location", ["s3://bucket", "s3:///name", "s3://b/../c", "s3://b//c"])
def test_a_location_that_names_no_index_is_refused(location: str) -> None:
    with pytest.raises(errors.PathError, match="names no index"):
        Storage.at(location)
