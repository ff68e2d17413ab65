"""Set-ups for `research-agent doctor`, broken in one way each, and the page that shows them.

python -m tests.interfaces.doctor_page          # writes docs/doctor.md, the healthy set-up stays
python -m tests.interfaces.doctor_page --live   # that one too: asks the embedded model
"""

import json
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from research_agent.models.adapters.weights.joining import (
    WEIGHT_SETS,
    cache_directory,
    ensure_weights,
)
from tests.interfaces.commands import GUIDE, made_index, run

PAGE = Path(__file__).parents[2] / "docs" / "doctor.md"
HEALTHY = "## A healthy set-up"
HIDDEN = ("ok ",)
VARIABLES = (
    "OPENAI_API_KEY",
    "RESEARCH_AGENT_CONFIG",
    "RESEARCH_AGENT_MODELS__OFFLINE",
    "RESEARCH_AGENT_MODELS__REPLY_CACHE__MODE",
)
PROXIES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY")


@dataclass(frozen=True, slots=True)
class Place:
    """A user's folders, empty at first, and an index of `docs` to copy."""

    folder: Path
    docs: Path
    made: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def index(self) -> None:
        shutil.copytree(self.made, self.home)

    def settings(self, **models: Mapping[str, object]) -> None:
        """Write the user's own configuration, which needs no trust."""
        self.home.mkdir(exist_ok=True)
        file = self.home / "research-agent.yaml"
        file.write_text(json.dumps({"models": models}), encoding="utf-8")

    def weights(self) -> None:
        """Make a file that looks as the joined weights do, down to the note that it was read."""
        weights = WEIGHT_SETS["1.5b"]
        file = self.cache / "models" / weights.file_name
        file.parent.mkdir(parents=True)
        with file.open("wb") as empty:
            empty.truncate(weights.size)
        seen = file.stat()
        noted = {"size": seen.st_size, "mtime_ns": seen.st_mtime_ns, "sha256": weights.sha256}
        record = file.with_name(f"{file.name}.verified.json")
        record.write_text(json.dumps(noted), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class SetUp:
    """A heading, what is broken, how, and the command that shows it."""

    title: str
    about: str
    prepare: Callable[[Place], None]
    arguments: tuple[str, ...] = ("doctor",)


def _other_embedding(place: Place) -> None:
    place.weights()
    place.index()
    url = "http://127.0.0.1:11434/v1"
    place.settings(embedding={"provider": "openai", "model": "bge-m3", "base_url": url})


def _server_down(place: Place) -> None:
    place.index()
    with socket.create_server(("127.0.0.1", 0)) as closing:
        url = f"http://127.0.0.1:{closing.getsockname()[1]}/v1"
    place.settings(chat={"provider": "openai", "model": "qwen3", "base_url": url})


def _no_key(place: Place) -> None:
    place.index()
    place.settings(chat={"provider": "openai", "model": "gpt-4o-mini"})


def _damaged(place: Place) -> None:
    place.weights()
    place.index()
    words = place.home / "indexes" / "default" / "words.sqlite3"
    words.write_bytes(b"not a database " * 100)


SET_UPS = (
    SetUp("No index", "Nothing was indexed yet.", Place.weights, ("doctor", "--no-models")),
    SetUp(
        "Another embedding model",
        "The index was made with the packaged model, and the settings now name one at a server.",
        _other_embedding,
        ("doctor", "--no-models"),
    ),
    SetUp(
        "No weights",
        "The package of the embedded model is there, its weights are not.",
        Place.index,
    ),
    SetUp("A server that is down", "`models.chat` names a server that nobody runs.", _server_down),
    SetUp("No key", "`models.chat` names OpenAI, and `OPENAI_API_KEY` is not set.", _no_key),
    SetUp(
        "A damaged cache",
        "The file of the word index was overwritten.",
        _damaged,
        ("doctor", "--no-models"),
    ),
)


@contextmanager
def indexed(text: str = GUIDE) -> Iterator[Path]:
    """Give a folder with a document in `docs` and its index in `home`, to be copied."""
    with tempfile.TemporaryDirectory() as name:
        yield made_index(Path(name).resolve(), {"guide.md": text})


@contextmanager
def placed(made: Path) -> Iterator[Place]:
    """Give folders of our own as the user's, and no packaged weights but those in the cache."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        place = Place(folder, made / "docs", made / "home")
        before = Path.cwd()
        stack.callback(os.chdir, before)
        os.chdir(place.folder)
        stack.enter_context(mock.patch.dict(os.environ))
        for name in (*VARIABLES, *PROXIES, *(name.lower() for name in PROXIES)):
            os.environ.pop(name, None)
        os.environ["RESEARCH_AGENT_HOME"] = str(place.home)
        os.environ["RESEARCH_AGENT_CACHE"] = str(place.cache)
        stack.enter_context(
            mock.patch(
                "research_agent.models.adapters.weights.joining.part_files",
                lambda weights: [None] * len(weights.packages),
            )
        )
        stack.enter_context(
            mock.patch("research_agent.assembly.models.report.require_runtime", return_value=None)
        )
        yield place


def shown(set_up: SetUp, made: Path) -> str:
    """Return what doctor says about a broken set-up, but for what is well."""
    with placed(made) as place:
        set_up.prepare(place)
        result = run(*set_up.arguments)
        assert result.exit_code in (0, 1), result.output
        lines = _readable(result.stdout, place).splitlines()
    return "\n".join(line for line in lines if not line.startswith(HIDDEN))


def healthy() -> str:
    """Return what doctor says where all is well, with the embedded model."""
    weights = ensure_weights(WEIGHT_SETS["1.5b"], cache_directory(os.environ))
    with indexed() as made, placed(made) as place:
        place.index()
        (place.cache / "models").mkdir(parents=True)
        for name in (weights.name, f"{weights.name}.verified.json"):
            (place.cache / "models" / name).symlink_to(weights.with_name(name))
        result = run("doctor")
        assert 0 == result.exit_code, result.output
        return _readable(result.stdout, place).rstrip()


def masked(text: str) -> str:
    """Return `text` with every number replaced, and without what depends on the machine."""
    lines = [line for line in text.splitlines() if "versions:" not in line]
    lines = [line for line in lines if "libraries:" not in line and "pip install xlla" not in line]
    return re.sub(r"\d[\d.,]*", "N", "\n".join(lines))


def page(live: str) -> str:
    """Return the whole page."""
    begin, _, _ = PAGE.read_text(encoding="utf-8").partition(HEALTHY)
    parts = [begin.rstrip(), "", HEALTHY, "", live.strip()]
    with indexed() as made:
        for set_up in SET_UPS:
            command = " ".join(("research-agent", *set_up.arguments))
            parts += ["", f"## {set_up.title}", "", f"{set_up.about} `{command}`:", ""]
            parts += [indented(shown(set_up, made))]
    return "\n".join(parts) + "\n"


def live_part() -> str:
    """Return the part of the page about the healthy set-up, as it stands there."""
    return PAGE.read_text(encoding="utf-8").partition(HEALTHY)[2].partition("\n## ")[0]


def indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _readable(text: str, place: Place) -> str:
    """Return what was printed, with the user's folders as they are called elsewhere."""
    names = {
        os.environ["RESEARCH_AGENT_HOME"]: "~/.local/share/research-agent",
        os.environ["RESEARCH_AGENT_CACHE"]: "~/.cache/research-agent",
        f"{place.folder}/": "",
        f"{place.docs.parent}/": "",
    }
    for folder, name in names.items():
        text = text.replace(folder, name)
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", text)


if __name__ == "__main__":
    found = live_part()
    if "--live" in sys.argv:
        found = f"`research-agent doctor`, with the embedded model:\n\n{indented(healthy())}"
    PAGE.write_text(page(found), encoding="utf-8")
