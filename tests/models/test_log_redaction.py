"""What client libraries say of requests is withheld while an agent is open, and no longer."""

import logging
from collections.abc import Iterator

import pytest

from research_agent.models.adapters.log_redaction import LOGGERS, LogRedaction


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What the logger of botocore's requests says, at its lowest level."""
    lines: list[str] = []

    class Hearing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    log, hearing = logging.getLogger("botocore.endpoint"), Hearing()
    before = log.level
    log.setLevel(1)
    log.addHandler(hearing)
    yield lines
    log.removeHandler(hearing)
    log.setLevel(before)


def test_requests_are_withheld_while_open(heard: list[str]) -> None:
    """Two may be open; the last one that closes gives the libraries their voice back."""
    log = logging.getLogger("botocore.endpoint")
    with LogRedaction():
        second = LogRedaction()
        log.debug("withheld")
        log.warning("a warning")
    log.debug("withheld")
    second.close()
    second.close()
    log.debug("heard")

    assert ["a warning", "heard"] == heard


def test_nothing_is_left_behind() -> None:
    """After the last one no logger has a filter more than before."""
    before = [list(logging.getLogger(name).filters) for name in LOGGERS]
    LogRedaction().close()

    assert before == [logging.getLogger(name).filters for name in LOGGERS]
