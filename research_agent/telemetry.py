"""Spans of OpenTelemetry and lines of a log: a question, its nodes, model calls and searches.

Both say what was done, how long it took and how many tokens it cost, never what was asked, read or
written. Spans follow the semantic conventions for generative AI. They go where the program that
runs the agent has set OpenTelemetry up to send them, and nowhere without that.
"""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Literal

from opentelemetry import trace

from research_agent.errors import ConfigError

Attribute = str | int | float | bool | list[str]
Level = Literal["debug", "info", "warning", "error"]
NAME = "research_agent"
LOGGER = logging.getLogger(NAME)
LOGGER.addHandler(logging.NullHandler())
TRACER = trace.get_tracer(NAME, schema_url="https://opentelemetry.io/schemas/1.37.0")


@contextmanager
def span(
    name: str, attributes: dict[str, Attribute] | None = None, *, client: bool = False
) -> Iterator[dict[str, Attribute]]:
    """Make a span of the block, and a line of the log when it ends; `client`: a server is asked.

    The block may add to the attributes that it gets. An error gives the span its class as
    `error.type`, without the message, and goes on.
    """
    noted, begun, level = dict(attributes or {}), time.perf_counter(), logging.INFO
    kind = trace.SpanKind.CLIENT if client else trace.SpanKind.INTERNAL
    with TRACER.start_as_current_span(
        name,
        kind=kind,
        attributes=noted,
        record_exception=False,  # (its message may be a document's)
        set_status_on_exception=False,
    ) as made:
        try:
            yield noted
        except BaseException as error:
            noted["error.type"], level = type(error).__name__, logging.WARNING
            made.set_status(trace.StatusCode.ERROR)
            raise
        finally:
            made.set_attributes(noted)
            fields = {"seconds": round(time.perf_counter() - begun, 4), **noted}
            if (context := made.get_span_context()).is_valid:
                fields["trace_id"] = trace.format_trace_id(context.trace_id)
            LOGGER.log(level, name, extra={NAME: fields})


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, message, and the fields of a span."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": moment, "level": record.levelname.lower(), "message": record.getMessage()}
        return json.dumps(line | getattr(record, NAME, {}))


def log_to_stderr(level: Level) -> None:
    """Write this program's log to stderr as JSON lines, from `level` on; for the command line."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    LOGGER.handlers = [handler]
    LOGGER.setLevel(level.upper())


def export_spans() -> None:
    """Send spans by OTLP to where the standard OTEL_* variables say; for the command line.

    Raises ConfigError where the extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            "RESEARCH_AGENT_TRACING=otel needs packages that are not installed",
            hint='pip install "research-agent[otel]"',
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "research-agent"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
