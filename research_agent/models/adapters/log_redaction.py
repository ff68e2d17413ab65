"""Keeping what libraries log about requests out of everybody's logs.

At the level DEBUG some client libraries write whole requests: the messages, and with them text of
documents, and headers with credentials. An application that logs everything would keep them.
"""

import logging

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


def withhold_requests() -> None:
    """Withhold what `LOGGERS` say below the level WARNING, from now on."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_is_loud)  # (which adds it once)


def _is_loud(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING
