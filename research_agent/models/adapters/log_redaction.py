"""Keeping what libraries log about requests out of everybody's logs.

At the level DEBUG some client libraries write whole requests: the messages, and with them text of
documents, and headers with credentials. An application that logs everything would keep them.
"""

import logging
from threading import Lock

from research_agent.closeable import Closing

LOGGERS = (
    "botocore.auth",
    "botocore.endpoint",
    "botocore.hooks",
    "botocore.httpsession",
    "botocore.parsers",
    "botocore.retries.standard",
    "langchain_aws.chat_models.bedrock_converse",
    "langchain_aws.embeddings.bedrock",
    "langchain_aws.llms.bedrock",
    "openai._base_client",
    "openai._legacy_response",
    "openai._response",
)
"""Those that write requests, replies or their headers."""


class LogRedaction(Closing):
    """Withholds what `LOGGERS` say below the level WARNING, while any one is open."""

    _lock = Lock()
    _count = 0

    def __init__(self) -> None:
        self._open = True
        self._change(+1)

    def close(self) -> None:
        """Let them speak again, unless another one is open; calling it again does nothing."""
        if self._open:
            self._open = False
            self._change(-1)

    @classmethod
    def _change(cls, by: int) -> None:
        with cls._lock:
            before, cls._count = cls._count, cls._count + by
            for name in LOGGERS:
                if not before:
                    logging.getLogger(name).addFilter(_is_loud)
                elif not cls._count:
                    logging.getLogger(name).removeFilter(_is_loud)


def _is_loud(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING
