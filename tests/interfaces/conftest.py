"""An index of the guide, made once for all doors, and a scripted model behind a loopback server."""

import asyncio
import shutil
from collections.abc import Iterator
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

from research_agent.assembly import parsing
from research_agent.documents.adapters.sandbox import SandboxedReader
from tests.interfaces.commands import GUIDE, Model, made_index, served


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine of LangChain's standard tests; other tests run their own loops."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001 (pytest has no other door to it)
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


class KeptReader(SandboxedReader):
    """A reader whose child process reads the files of the next index too, until one fails."""

    def call(self, request: str) -> dict[str, object]:
        try:
            return super().call(request)
        except BaseException:
            super().close()
            raise

    def close(self) -> None:
        """Keep the child."""


@pytest.fixture(scope="session", autouse=True)
def _one_reader() -> Iterator[None]:
    """Read all documents in one child process: to start one for each index takes longer."""
    kept: dict[tuple[object, ...], KeptReader] = {}

    def reader(target: str, *, seconds: float, memory_mb: int) -> KeptReader:
        made = KeptReader(target, seconds=seconds, memory_mb=memory_mb)
        return kept.setdefault((target, seconds, memory_mb), made)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parsing, "SandboxedReader", reader)
        yield
    for one in kept.values():
        SandboxedReader.close(one)


@pytest.fixture(scope="session")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with "docs" and "home", the data folder with their index; no test changes it."""
    return made_index(tmp_path_factory.mktemp("guide"), {"guide.md": GUIDE})


@pytest.fixture
def indexed(guide: Path, data_home: Path) -> Path:
    """Give the test a copy of that index; the documents are not its own to change."""
    shutil.copytree(guide / "home", data_home)
    return guide / "docs"


@pytest.fixture
def docs(tmp_path: Path, data_home: Path) -> Path:
    """A folder with the guide that the test may change, and no index yet."""
    assert not data_home.exists()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE, encoding="utf-8")
    return tmp_path / "docs"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def config(model: Model, tmp_path: Path) -> Iterator[str]:
    """The path of a configuration that names the test's model."""
    with served(model, tmp_path) as path:
        yield path
