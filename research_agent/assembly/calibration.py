"""Thresholds fitted to an index: kept beside it, and put in the place of settings."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from shlex import quote

from research_agent.assembly.answer_limits import answers_stale, with_answer_limits
from research_agent.assembly.gain_limits import gain_stale, with_gain_limit
from research_agent.errors import ConfigError, IndexingError
from research_agent.index.adapters.folders import DEFAULT, locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.settings import ConfidenceSettings, Settings
from research_agent.types.records import IndexHeader
from research_agent.verification.adapters.calibration_file import (
    read_calibration,
    write_calibration,
)
from research_agent.verification.calibration.answer_limits import AnswerLimit
from research_agent.verification.calibration.fitted import (
    BYPASS,
    Calibration,
    Fingerprint,
    Threshold,
    staleness,
)
from research_agent.verification.calibration.gain_limits import GainLimit


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Settings with fitted thresholds in them, and what is to be said about those."""

    settings: Settings
    warning: Callable[[IndexHeader], str] = lambda _header: ""
    """Of the index as it is now; empty where all is well."""


def calibrated(
    location: str, settings: Settings, header: IndexHeader, *, writers: str = ""
) -> Calibrated:
    """Return `settings` with the thresholds that were fitted to the index at `location`.

    A value that is not the default was chosen by the user and stays. Thresholds of another
    embedding model or of other settings are not used, limits of answers neither with other
    `writers`. A calibration that cannot be read is a warning, like one that is out of date.
    """
    if settings.confidence.calibrated == "off":
        return Calibrated(settings)
    try:
        kept = read_calibration(locate(location).calibration)
        if kept is None or not (kept.answers or kept.gain or _takes_bypass(settings)):
            return Calibrated(settings)
        usable, _ = staleness(kept.fingerprint, fingerprint(header, settings))
        fitted = applied(settings, kept, writers) if usable else settings
    except (IndexingError, ConfigError) as error:
        if not _takes_bypass(settings):
            return Calibrated(settings)
        problem = f"{error} The thresholds of the settings are used. Again: {command(location)}"
        return Calibrated(settings, lambda _header: problem)

    def warning(now: IndexHeader) -> str:
        reason = stale(kept, now, settings, writers)
        return f"{reason} Again: {command(location)}" if reason else ""

    return Calibrated(fitted, warning)


def command(location: str) -> str:
    """Return the command that calibrates an index.

    >>> command("default"), command("my notes")
    ('research-agent calibrate', "research-agent calibrate --index 'my notes'")
    """
    option = "" if location in ("", DEFAULT) else f" --index {quote(location)}"
    return f"research-agent calibrate{option}"


def applied(settings: Settings, kept: Calibration, writers: str = "") -> Settings:
    """Return settings with fitted thresholds; those that have no place in them are left out.

    Raises ConfigError for a threshold that is out of range.
    """
    bypass = kept.thresholds.get(BYPASS)
    fitted = with_answer_limits(settings, kept.answers, writers)
    fitted = with_gain_limit(fitted, kept.gain, writers)
    if bypass is None or not _takes_bypass(settings):
        return fitted
    return replace(fitted, confidence=replace(settings.confidence, bypass=bypass.value))


def stale(kept: Calibration, header: IndexHeader, settings: Settings, writers: str = "") -> str:
    """Return what is to be said about a calibration; empty where it fits index and settings."""
    usable, reason = staleness(kept.fingerprint, fingerprint(header, settings))
    said = []
    if reason:
        what = "its thresholds are used still" if usable else "its thresholds are not used"
        said.append(f"The calibration of this index is out of date: {reason}; {what}.")
    other = answers_stale(settings, kept.answers, writers) if usable else ""
    if other:
        said.append(f"The limits fitted to answers are out of date: {other}; they are not used.")
    gains = gain_stale(settings, kept.gain, writers) if usable else ""
    if gains:
        said.append(f"The gain fitted for pruning is not used: {gains}.")
    return " ".join(said)


def _takes_bypass(settings: Settings) -> bool:
    """Return whether a fitted threshold of confidence may take the place of the default."""
    confidence = settings.confidence
    return confidence.bypass == ConfidenceSettings().bypass and confidence.profile != "seed"


def fingerprint(header: IndexHeader, settings: Settings) -> Fingerprint:
    """Return what a calibration that is made now would be for."""
    confidence = replace(settings.confidence, bypass=ConfidenceSettings().bypass)
    digest = sha256(repr((settings.retrieval, confidence)).encode()).hexdigest()
    return Fingerprint(
        model=header.model, generation=header.generation, changed=header.changed, settings=digest
    )


def keep_thresholds(
    location: str,
    found: dict[str, Threshold],
    *,
    made: str,
    now: Fingerprint,
    answers: dict[str, AnswerLimit] | None = None,
    gain: GainLimit | None = None,
) -> str:
    """Keep thresholds beside the index, with those of an earlier run that still fit.

    `answers` None: answers were not fitted this time; `gain` None: no gains were measured, or they
    say nothing.
    Returns the path of the file; raises IndexingError.
    """
    path = locate(location).calibration
    try:
        earlier = read_calibration(path)
    except IndexingError:  # (a damaged file is replaced)
        earlier = None
    same = earlier is not None and earlier.fingerprint == now
    others = dict(earlier.thresholds) if earlier is not None and same else {}
    if answers is None:
        answers = dict(earlier.answers) if earlier is not None and same else {}
    if gain is None and earlier is not None and same:
        gain = earlier.gain
    calibration = Calibration(
        fingerprint=now, made=made, thresholds=others | found, answers=answers, gain=gain
    )
    write_calibration(path, calibration)
    return str(path)


def index_header(location: str) -> IndexHeader:
    """Return what an index says about itself; raises what `index_state` raises."""
    folder = locate(location)
    with LedgerReader(folder.ledger, folder.label) as ledger:
        return ledger.header()


def index_state(location: str) -> tuple[IndexHeader, tuple[str, ...]]:
    """Return what an index says about itself, and the ids of all its chunks.

    Raises IndexMissingError, IndexDamagedError, IndexMismatchError.
    """
    folder = locate(location)
    with LedgerReader(folder.ledger, folder.label) as ledger, ledger.snapshot():
        return ledger.header(), tuple(sorted(ledger.chunk_digests()))
