"""What is known about a set-up: gathered by `assembly.diagnosis`, judged by `findings`."""

from dataclasses import dataclass, field
from typing import Literal

from research_agent.types.records import IndexHeader
from research_agent.verification.calibration import AnswerLimit, Threshold

Level = Literal["ok", "note", "warning", "fault"]
"""All is well; good to know; works, but not as it should; something cannot work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the diagnosis."""

    level: Level
    part: str
    """What it is about: one word."""
    what: str
    cure: str = ""
    """The command that cures it, or what to do; never empty for a warning or a fault."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error of ours: what is wrong and its hint."""

    what: str
    cure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftwareFacts:
    """What runs."""

    program: str
    """Our version."""
    python: tuple[int, int, int]
    system: str
    libraries: tuple[tuple[str, str], ...] = ()
    """Names and versions; an empty version: not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """A language model and the roles that it fills."""

    roles: tuple[str, ...]
    provider: str
    model: str
    problem: Problem | None = None
    asked: bool = False
    """Whether it was sent a real question."""
    start_seconds: float | None = None
    """How long a model that has to be started took to say its first word."""
    seconds: float = 0.0
    """How long a short reply took."""
    tokens_per_second: float | None = None
    """How fast the reply was written; None where too few tokens came to tell."""
    alternatives: int = 0
    """Likeliest tokens listed at each place of the reply; 0: no log-probabilities."""
    context: int | None = None
    """Tokens the model reads and writes at most; None: the server does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingFacts:
    """The embedding model."""

    model: str
    """As the index knows it; empty where the settings name none that can be used."""
    problem: Problem | None = None
    dimension: int = 0
    """Length of its vectors; 0: not asked."""
    texts_per_second: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheFacts:
    """One of the two search indexes that are made from the ledger."""

    place: str
    """Its file or folder."""
    generation: int = 0
    """Of the ledger, that it shows; 0: none."""
    entries: int = 0
    problem: str = ""
    """Why it cannot be opened."""
    crashes: bool = False
    """Opening it ended a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """The files an index was made from."""

    folder: str = ""
    """The folder they have in common."""
    files: int = 0
    gone: int = 0
    changed: int = 0
    """With another size or time than when they were read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFacts:
    """One index."""

    label: str
    command: str
    """The command that writes it, without the paths; it makes caches anew that are not right."""
    problem: Problem | None = None
    """Why it cannot be read; then nothing below is known."""
    header: IndexHeader = field(default_factory=lambda: IndexHeader("", 0, 0))
    vectors: int = 0
    """In the ledger."""
    words: CacheFacts = CacheFacts(place="")
    dense: CacheFacts | None = None
    """None where the vectors are few enough to be compared one by one, in the ledger."""
    pending: int = 0
    """Documents that were read but never published."""
    dangling: int = 0
    """References to what their target, a document of the index, does not have."""
    dangling_in: int = 0
    """Documents that hold these."""
    leftovers: tuple[str, ...] = ()
    """Files that a run left behind which did not end by itself."""
    writer: str = ""
    """Who is writing to it now."""
    sources: SourceFacts = SourceFacts()
    bytes_on_disk: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFacts:
    """One packaged set of weights."""

    title: str
    size: int
    """Bytes of the joined file."""
    parts: int
    """Packages that carry it."""
    installed_parts: int = 0
    installed_bytes: int = 0
    joined: bool = False
    verified: bool = False
    install: str = ""
    """The command that installs it."""
    free: int = 0
    """Bytes free where it is joined."""
    partial: str = ""
    """An unfinished file of an interrupted join."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceFacts:
    """A folder that the program writes to."""

    name: str
    path: str
    variable: str
    """The environment variable that moves it."""
    free: int
    """Bytes."""
    writable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFacts:
    """What may be contacted."""

    offline: bool = False
    own: tuple[tuple[str, str], ...] = ()
    """Roles whose server is on this machine, with its host."""
    outside: tuple[tuple[str, str], ...] = ()
    """Roles whose server is elsewhere, with its host."""
    proxies: tuple[str, ...] = ()
    """Environment variables that name a proxy; never their values."""
    tracing: bool = False
    """LangSmith's tracing is on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFacts:
    """The reply cache."""

    on: bool
    path: str
    bytes_on_disk: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFacts:
    """The thresholds that were fitted to the index."""

    made: str = ""
    """When."""
    thresholds: tuple[tuple[str, Threshold], ...] = ()
    """By the name of the setting."""
    answers: tuple[tuple[str, AnswerLimit], ...] = ()
    """Limits of answers, by the name of the setting."""
    problem: str = ""
    """Why they cannot be read, or are out of date."""
    cure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything; what is empty was not looked at."""

    software: SoftwareFacts
    problems: tuple[Problem, ...] = ()
    """Settings that cannot be read; the defaults were looked at instead."""
    models: tuple[ModelFacts, ...] = ()
    embedding: EmbeddingFacts | None = None
    index: IndexFacts | None = None
    weights: tuple[WeightFacts, ...] = ()
    places: tuple[PlaceFacts, ...] = ()
    network: NetworkFacts = NetworkFacts()
    replies: ReplyFacts | None = None
    calibration: CalibrationFacts | None = None
