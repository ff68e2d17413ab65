"""What client libraries say of requests is withheld once an agent was opened."""

import logging

import pytest

from research_agent.models.adapters.log_redaction import LOGGERS, withhold_requests


def test_requests_are_withheld(caplog: pytest.LogCaptureFixture) -> None:
    """Warnings are not; doing it again adds nothing."""
    log = logging.getLogger("botocore.endpoint")
    withhold_requests()
    before = [list(logging.getLogger(name).filters) for name in LOGGERS]
    withhold_requests()
    with caplog.at_level(1, logger=log.name):
        log.debug("withheld")
        log.warning("a warning")

    assert ["a warning"] == caplog.messages
    assert before == [logging.getLogger(name).filters for name in LOGGERS]
