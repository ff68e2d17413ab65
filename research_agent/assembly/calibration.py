"""Limits fitted to an index: kept beside it, and put in the place of settings."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from shlex import quote

from research_agent.errors import ConfigError, IndexingError
from research_agent.index.adapters.folders import DEFAULT, home, locate
from research_agent.settings import ConfidenceSettings, Settings
from research_agent.text.paths import is_shared
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


def calibration_file(location: str) -> Path:
    """Return the file of the limits that were fitted to an index.

    Those of a shared one are this user's own: they depend on the models in use.
    """
    if not is_shared(location):
        return locate(location).calibration
    digest = sha256(location.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return home() / "calibrations" / f"{digest}.json"


def calibrated(location: str, settings: Settings, header: IndexHeader) -> Calibrated:
    """Return `settings` with the limit that was fitted to the index at `location`.

    A value that is not the default was chosen by the user and stays. A limit for another embedding
    model or other settings is not used. A calibration that cannot be read is a warning, like one
    that is out of date.
    """
    confidence, again = settings.confidence, f"Again: {command(location)}"
    if not confidence.calibrated or confidence.bypass != ConfidenceSettings().bypass:
        return Calibrated(settings)
    fitted = settings
    try:
        kept = read_calibration(calibration_file(location))
        if kept is None:
            return Calibrated(settings)
        usable, _ = calibration.staleness(kept.fingerprint, fingerprint(header, settings))
        limit = kept.thresholds.get(calibration.BYPASS)
        if usable and limit:
            fitted = replace(settings, confidence=replace(confidence, bypass=limit.value))
    except (IndexingError, ConfigError) as error:  # (the latter: the value is out of range)
        problem = f"{error} The thresholds of the settings are used. {again}"
        return Calibrated(settings, lambda _header: problem)

    def warning(now: IndexHeader) -> str:
        reason = stale(kept, now, settings)
        return f"{reason} {again}" if reason else ""

    return Calibrated(fitted, warning)


def command(location: str) -> str:
    """Return the command that calibrates an index."""
    option = "" if location in ("", DEFAULT) else f" --index {quote(location)}"
    return f"research-agent calibrate{option}"


def stale(kept: calibration.Calibration, header: IndexHeader, settings: Settings) -> str:
    """Return what is wrong with a calibration; empty where it fits index and settings."""
    usable, reason = calibration.staleness(kept.fingerprint, fingerprint(header, settings))
    if not reason:
        return ""
    what = "its thresholds are used still" if usable else "its thresholds are not used"
    return f"The calibration of this index is out of date: {reason}; {what}."


def fingerprint(header: IndexHeader, settings: Settings) -> calibration.Fingerprint:
    """Return what a calibration that is made now would be for."""
    confidence = replace(settings.confidence, bypass=ConfidenceSettings().bypass)
    digest = sha256(repr((settings.retrieval, confidence)).encode()).hexdigest()
    return calibration.Fingerprint(
        model=header.model, generation=header.generation, changed=header.changed, settings=digest
    )


def keep_threshold(
    location: str, now: calibration.Fingerprint, made: str, threshold: calibration.Threshold
) -> str:
    """Keep a threshold beside the index, in the place of an earlier one.

    Returns the path of the file, "" where no threshold holds; raises IndexingError.
    """
    if not threshold.holds:
        return ""
    path = calibration_file(location)
    kept = calibration.Calibration(
        fingerprint=now, made=made, thresholds={calibration.BYPASS: threshold}
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_calibration(path, kept)
    return str(path)
