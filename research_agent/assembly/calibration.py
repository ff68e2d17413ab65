"""Limits fitted to an index: kept beside it, and put in the place of settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from shlex import quote

from research_agent.assembly.models.report import describe_models
from research_agent.assembly.shared import calibration_file, storage_of
from research_agent.errors import ConfigError, IndexingError
from research_agent.index.adapters.folders import DEFAULT, locate
from research_agent.index.adapters.ledger.reading import LedgerReader
from research_agent.settings import AnswerSettings, ConfidenceSettings, Settings, VerifySettings
from research_agent.text.locations import is_shared
from research_agent.types.records import IndexHeader
from research_agent.verification import calibration
from research_agent.verification.adapters.calibration_file import (
    read_calibration,
    write_calibration,
)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Settings with fitted limits in them."""

    settings: Settings
    warning: Callable[[IndexHeader], str] = lambda _header: ""
    """What is out of date, for the index as it is now; empty where nothing is."""


def calibrated(
    location: str, settings: Settings, header: IndexHeader, *, writers: str = ""
) -> Calibrated:
    """Return `settings` with the limits that were fitted to the index at `location`.

    A value that is not the default was chosen by the user and stays. Limits for another embedding
    model or other settings are not used, limits of answers neither with other `writers`. A
    calibration that cannot be read is a warning, like one that is out of date.
    """
    if not settings.confidence.calibrated:
        return Calibrated(settings)
    again = f"Again: {command(location)}"
    try:
        kept = read_calibration(calibration_file(location))
        if kept is None or not (kept.answers or kept.ignored or _takes_bypass(settings)):
            return Calibrated(settings)
        usable, _ = calibration.staleness(kept.fingerprint, fingerprint(header, settings))
        fitted = applied(settings, kept, writers) if usable else settings
    except (IndexingError, ConfigError) as error:
        if not _takes_bypass(settings):
            return Calibrated(settings)
        problem = f"{error} The thresholds of the settings are used. {again}"
        return Calibrated(settings, lambda _header: problem)

    def warning(now: IndexHeader) -> str:
        reason = stale(kept, now, settings, writers)
        return f"{reason} {again}" if reason else ""

    return Calibrated(fitted, warning)


def command(location: str) -> str:
    """Return the command that calibrates an index.

    >>> command("default"), command("my notes")
    ('research-agent calibrate', "research-agent calibrate --index 'my notes'")
    """
    option = "" if location in ("", DEFAULT) else f" --index {quote(location)}"
    return f"research-agent calibrate{option}"


def applied(settings: Settings, kept: calibration.Calibration, writers: str = "") -> Settings:
    """Return settings with fitted limits in the place of defaults.

    Limits of answers by other models or settings are left out. Raises ConfigError for a value that
    is out of range.
    """
    digest = answering_digest(settings)
    usable = {
        name: limit.value
        for name, limit in kept.answers.items()
        if not calibration.digest_mismatch(limit, writers=writers, settings=digest)
    }
    answer, verify, confidence = settings.answer, settings.verify, settings.confidence
    if (
        calibration.MIN_ANSWERABLE in usable
        and answer.min_answerable == AnswerSettings().min_answerable
    ):
        answer = replace(answer, min_answerable=usable[calibration.MIN_ANSWERABLE])
    if calibration.MAX_ENTROPY in usable and verify.max_entropy == VerifySettings().max_entropy:
        verify = replace(verify, max_entropy=usable[calibration.MAX_ENTROPY])
    if calibration.BYPASS in kept.thresholds and _takes_bypass(settings):
        confidence = replace(confidence, bypass=kept.thresholds[calibration.BYPASS].value)
    return replace(settings, answer=answer, verify=verify, confidence=confidence)


def stale(
    kept: calibration.Calibration, header: IndexHeader, settings: Settings, writers: str = ""
) -> str:
    """Return what is wrong with a calibration; empty where it fits index and settings."""
    usable, reason = calibration.staleness(kept.fingerprint, fingerprint(header, settings))
    said = []
    if reason:
        what = "its thresholds are used still" if usable else "its thresholds are not used"
        said.append(f"The calibration of this index is out of date: {reason}; {what}.")
    digest = answering_digest(settings)
    others = (
        calibration.digest_mismatch(x, writers=writers, settings=digest)
        for x in kept.answers.values()
    )
    if other := usable and next(filter(None, others), ""):
        said.append(f"The limits fitted to answers are out of date: {other}; they are not used.")
    if kept.ignored:
        names = " and ".join(kept.ignored)
        said.append(f"What an earlier version fitted for {names} is not used any more.")
    return " ".join(said)


def _takes_bypass(settings: Settings) -> bool:
    return settings.confidence.bypass == ConfidenceSettings().bypass


def fingerprint(header: IndexHeader, settings: Settings) -> calibration.Fingerprint:
    """Return what a calibration that is made now would be for."""
    confidence = replace(settings.confidence, bypass=ConfidenceSettings().bypass)
    digest = sha256(repr((settings.retrieval, confidence)).encode()).hexdigest()
    return calibration.Fingerprint(
        model=header.model, generation=header.generation, changed=header.changed, settings=digest
    )


def writers_of(settings: Settings, environment: Mapping[str, str]) -> str:
    """Return the names of the models that write and check answers."""
    named = {about.role: about.model for about in describe_models(settings.models, environment)}
    return " and ".join(dict.fromkeys([named["answer"], named["verifier"]]))


def answering_digest(settings: Settings) -> str:
    """Return a digest of the settings that answers are written with, the fitted ones left out."""
    answer = replace(settings.answer, min_answerable=AnswerSettings().min_answerable)
    return sha256(repr((answer, settings.evidence)).encode()).hexdigest()


def keep_limits(
    location: str,
    now: calibration.Fingerprint,
    made: str,
    threshold: calibration.Threshold,
    answers: Mapping[str, calibration.AnswerLimit] | None,
) -> str:
    """Keep limits beside the index; those of an earlier run that still fit stay where none is new.

    `answers` None: they were not fitted this time. Returns the path of the file, "" where there is
    nothing to keep; raises IndexingError.
    """
    thresholds = {calibration.BYPASS: threshold} if threshold.holds else {}
    if not (thresholds or answers):
        return ""
    path = calibration_file(location)
    try:
        earlier = read_calibration(path)
    except IndexingError:  # (a damaged file is replaced)
        earlier = None
    if earlier and earlier.fingerprint == now:
        thresholds = {**earlier.thresholds, **thresholds}
        answers = earlier.answers if answers is None else answers
    kept = calibration.Calibration(
        fingerprint=now, made=made, thresholds=thresholds, answers=answers or {}
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_calibration(path, kept)
    return str(path)


def index_header(location: str, *, offline: bool = False) -> IndexHeader:
    """Return what an index says about itself; raises what `index_state` raises.

    With `offline` one on another machine is refused with ConfigError.
    """
    if is_shared(location):
        from research_agent.index.adapters.shared.generations import published

        return published(storage_of(location, offline=offline)).header
    folder = locate(location)
    folder.close_to_others()  # (which refuses links)
    with LedgerReader(folder.current().ledger, folder.label) as ledger:
        return ledger.header()


def index_state(location: str) -> tuple[IndexHeader, tuple[str, ...]]:
    """Return what an index says about itself, and the ids of all its chunks.

    Raises IndexMissingError, IndexDamagedError, IndexMismatchError.
    """
    if is_shared(location):
        from research_agent.index.adapters.shared.reading import SharedReader

        reader = SharedReader(storage_of(location))
        return reader.header(), reader.chunk_ids()
    folder = locate(location)
    with LedgerReader(folder.current().ledger, folder.label) as ledger, ledger.snapshot():
        return ledger.header(), tuple(sorted(ledger.chunk_digests()))
