"""Spans of OpenTelemetry and lines of a log: a question, its nodes, model calls and searches.

Both say what was done, how long it took and how many tokens it cost, never what was asked, read or
written. Spans follow the semantic conventions for generative AI. They go where the program that
runs the agent has set OpenTelemetry up to send them, and nowhere without that.
"""

import json
import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from research_agent.errors import ConfigError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Attribute = str | int | float | bool | list[str]
Level = Literal["debug", "info", "warning", "error"]
NAME = "research_agent"
LOGGER = logging.getLogger(NAME)
LOGGER.addHandler(logging.NullHandler())
FIELDS = "research_agent_fields"


class Noted:
    """The attributes of a span, which may still be added to while it lasts."""

    def __init__(self, attributes: dict[str, Attribute], span: "Span | None") -> None:
        """Write to `span` too, if there is one."""
        self.attributes, self._span = attributes, span

    def add(self, attributes: Mapping[str, Attribute]) -> None:
        """Add attributes."""
        self.attributes |= attributes
        if self._span is not None:
            self._span.set_attributes(attributes)


@contextmanager
def span(
    name: str, attributes: dict[str, Attribute] | None = None, *, client: bool = False
) -> Iterator[Noted]:
    """Make a span of the block, and a line of the log when it ends; `client`: a server is asked.

    An error gives the span its class as `error.type`, without the message, and goes on.
    """
    given, begun = dict(attributes or {}), time.perf_counter()
    with _started(name, given, client=client) as made:
        noted = Noted(given, made)
        level = logging.INFO
        try:
            yield noted
        except BaseException as error:
            noted.add({"error.type": type(error).__name__})
            level = logging.WARNING
            if made is not None:
                from opentelemetry.trace import StatusCode

                made.set_status(StatusCode.ERROR)
            raise
        finally:
            if LOGGER.isEnabledFor(level):
                fields = {"seconds": round(time.perf_counter() - begun, 4), **noted.attributes}
                context = made.get_span_context() if made is not None else None
                if context is not None and context.is_valid:
                    fields |= {"trace_id": f"{context.trace_id:032x}"}
                LOGGER.log(level, name, extra={FIELDS: fields})


@contextmanager
def _started(
    name: str, attributes: dict[str, Attribute], *, client: bool
) -> Iterator["Span | None"]:
    if (tracer := _tracer()) is None:
        yield None
        return
    from opentelemetry.trace import SpanKind

    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,  # (its message may be a document's)
        set_status_on_exception=False,
    ) as made:
        yield made


@cache
def _tracer() -> "Tracer | None":
    """Return what makes spans; None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer(NAME, schema_url="https://opentelemetry.io/schemas/1.37.0")


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, message, and the fields of a span."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": moment, "level": record.levelname.lower(), "message": record.getMessage()}
        return json.dumps(line | getattr(record, FIELDS, {}))


def log_to_stderr(level: Level) -> None:
    """Write this program's log to stderr as JSON lines, from `level` on; for the command line."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for old in [one for one in LOGGER.handlers if isinstance(one.formatter, JsonLines)]:
        LOGGER.removeHandler(old)
    LOGGER.addHandler(handler)
    LOGGER.setLevel(level.upper())


def export_spans() -> None:
    """Send spans by OTLP to where the standard OTEL_* variables say; for the command line.

    Raises ConfigError where the extra `otel` is not installed.
    """
    try:
        from opentelemetry import trace
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
