"""What all benchmarks use: places, questions, kept results, tables, and commands' options."""

import importlib.util
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import click

from benchmarks.peers.exchange import open_text
from research_agent.evaluation.intervals import wilson
from research_agent.model_settings import LocalModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.settings import Settings

T = TypeVar("T")
Row = Mapping[str, Any]
ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
RECORDINGS = ROOT / "benchmarks" / "recordings"
QUESTIONS = ROOT / "benchmarks" / "questions"
DATA = Path(os.environ.get("RESEARCH_AGENT_DATA", ROOT.parent / "shared" / "data"))
PDFS = DATA / "nist-pqc" / "pdf"
REFUSALS = DATA / "grounding" / "refusals_dev.jsonl"
"""Questions with passages that hold the answer, or do not."""
STRONG = "strong"
"""The weights of a model behind a server; its questions are asked side by side."""
SLOW = 7200.0
"""Seconds that a reply of a model behind a server may take; people may write it."""


def read(path: Path) -> list[Row]:
    """Return the rows of a JSON Lines file, compressed or not; none where there is no file."""
    if not path.exists():
        return []
    with open_text(path, "rt") as file:
        return [json.loads(line) for line in file if line.strip()]


def nist_keys() -> list[Row]:
    """Return the NIST questions with their keys, answerable and unanswerable, each once."""
    folder = DATA / "nist-pqc"
    rows = [*read(folder / "gold_v2.jsonl"), *read(folder / "unanswerable.jsonl")]
    return list({row["qid"]: row for row in reversed(rows)}.values())[::-1]


@cache
def scorer(name: str = "score") -> Callable[..., Any]:
    """Return a function of the scorer beside the data, by its name."""
    path = DATA.parent / "tools" / "score_answers.py"
    spec = importlib.util.spec_from_file_location("score_answers", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = getattr(module, name)
    return found


def every(items: Sequence[T], most: int, name: Callable[[T], str]) -> list[T]:
    """Return `most` of the items, evenly spaced in the order of their names; 0: all of them.

    >>> every("gacbed", 3, str)
    ['a', 'c', 'e']
    """
    ordered = sorted(items, key=name)
    count = min(most or len(ordered), len(ordered))
    return [ordered[at * len(ordered) // count] for at in range(count)]


def keep(name: str, rows: Iterable[Mapping[str, object]], text: str) -> None:
    """Write rows to `name.jsonl`, one a line, and a table to `name.md`, among the results."""
    RESULTS.mkdir(exist_ok=True)
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (RESULTS / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (RESULTS / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")


def of_arms(rows: Mapping[str, Sequence[Row]]) -> Iterator[Row]:
    """Yield the rows of all arms, with the arm's name."""
    return ({"arm": arm, **row} for arm, of in rows.items() for row in of)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown.

    >>> print(markdown(["system", "right"], [["a", "3"]]))
    | system | right |
    |---|---|
    | a | 3 |
    """
    head, *body = [f"| {' | '.join(line)} |" for line in (heads, *rows)]
    return "\n".join([head, f"|{'---|' * len(heads)}", *body])


def table_of(rows: Sequence[Mapping[str, str]]) -> str:
    """Return a table of rows that have their heads as keys; those of the first row count."""
    return markdown(list(rows[0]), [list(row.values()) for row in rows])


def told_share(count: int, of: int) -> str:
    """Return a share with its Wilson interval in percent; "-" of none.

    >>> told_share(11, 20), told_share(0, 0)
    ('11 of 20 (34 to 74 %)', '-')
    """
    if not of:
        return "-"
    found = wilson(count, of)
    return f"{count} of {of} ({100 * found.low:.0f} to {100 * found.high:.0f} %)"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not pass; 0 for none.

    >>> percentile([5.0, 1.0, 3.0], 0.5), percentile([5.0, 1.0, 3.0], 0.95)
    (3.0, 5.0)
    """
    ordered = sorted(values)
    at = next((i for i in range(len(ordered)) if i + 1 >= share * len(ordered)), 0)
    return ordered[at] if ordered else 0.0


@contextmanager
def folder(cache: str) -> Iterator[Path]:
    """Yield the folder for indexes and environments: a temporary one where none is named."""
    with TemporaryDirectory() as temporary:
        place = Path(cache or temporary).absolute()
        place.mkdir(parents=True, exist_ok=True)
        yield place


def changed(settings: Settings, **sections: dict[str, Any]) -> Settings:
    """Return settings with some keys of some sections changed.

    >>> changed(Settings(), search={"max_chunks": 3}).search.max_chunks
    3
    """
    whole = {name: replace(getattr(settings, name), **keys) for name, keys in sections.items()}
    return replace(settings, **whole)


def with_weights(weights: str, settings: Settings) -> Settings:
    """Return settings that ask a model with these weights, without the user's reply cache.

    "strong" is the model of a server at RESEARCH_AGENT_BENCHMARK_URL, without deadlines.
    """
    models = replace(settings.models, reply_cache=ReplyCacheSettings(mode="off"))
    if weights == STRONG:
        url = os.environ.get("RESEARCH_AGENT_BENCHMARK_URL", "http://127.0.0.1:8099/v1")
        chat = RoleSettings(provider="openai", model=STRONG, base_url=url)
        models = replace(models, chat=chat, timeout=SLOW, retries=0, concurrency=256)
        settings = unhurried(settings)
    else:
        models = replace(models, local=LocalModelSettings(weights=weights))  # type: ignore[arg-type]  # (click has checked)
    return replace(settings, models=models)


def unhurried(settings: Settings) -> Settings:
    """Return settings without deadlines: seconds are counted, and end nothing."""
    return changed(settings, budget={"seconds": 86_400.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which model is asked, what for, and how long."""

    weights: str = "1.5b"
    live: bool = False
    """Ask the model for what is not recorded."""
    minutes: float = 45.0
    """Begin nothing new after that."""
    limit: int = 0
    """Only the first questions, and nothing is kept; 0: all."""
    cache: str = ""
    started: float = field(default_factory=time.monotonic)

    @property
    def in_time(self) -> bool:
        """Whether something new may begin."""
        return time.monotonic() < self.started + 60 * self.minutes

    def beside(self, questions: int) -> int:
        """Return how many questions are asked at a time: a server's model is asked all."""
        return max(1, questions) if self.live and self.weights == STRONG else 1

    def first(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items that are asked."""
        return items[: self.limit or None]


CACHE = click.option("--cache", default="", help="Keep indexes and environments in this folder.")
_OPTIONS = (
    click.option("--weights", default="1.5b", type=click.Choice(["1.5b", "0.5b", STRONG])),
    click.option("--live", is_flag=True, help="Ask the model for what is not recorded."),
    click.option("--minutes", default=45.0, help="Begin nothing new after this long."),
    click.option("--limit", default=0, help="Only the first questions; nothing is kept."),
    CACHE,
)


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a command that asks a model; they are given to it as one `asking`."""

    @wraps(command)
    def run(  # (click calls it by names)
        *, weights: str, live: bool, minutes: float, limit: int, cache: str, **more: object
    ) -> None:
        asking = Asking(weights=weights, live=live, minutes=minutes, limit=limit, cache=cache)
        command(asking=asking, **more)

    given: Callable[..., None] = run
    for option in _OPTIONS:
        given = option(given)
    return given
