"""Spans and log lines of a question: what they say, and what they never say."""

import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from langchain_core.messages import AIMessage
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from research_agent import telemetry
from research_agent.errors import ConfigError, ModelError
from tests.interfaces.commands import ANSWER, BAKED, run
from tests.models.langchain_objects import PlainModel, opened, saying

TEXT = "Bread is baked at 230 degrees."
MODEL = PlainModel(answers=saying(ANSWER))
EXPORTER = InMemorySpanExporter()
ABOVE = {
    "node retrieve": "invoke_agent research_agent",
    "node search": "invoke_agent research_agent",
    "node run_call": "node search",
    "execute_tool search_chunks_tool": "node run_call",
    "chat plain": "node answer",
    "embeddings word-vectors": "node retrieve",
}
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "langchain",
    "gen_ai.request.model": "plain",
    "gen_ai.usage.input_tokens": 90,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.response.finish_reasons": ("stop",),
    "research_agent.role": "answer",
}


@pytest.fixture
def spans(data_home: Path) -> Iterator[InMemorySpanExporter]:
    """What the SDK exports; a process has one provider for good."""
    assert not data_home.exists()
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(EXPORTER))
        trace.set_tracer_provider(provider)
    EXPORTER.clear()
    yield EXPORTER
    EXPORTER.clear()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    before, level = list(telemetry.LOGGER.handlers), telemetry.LOGGER.level
    yield
    telemetry.LOGGER.handlers, telemetry.LOGGER.level = before, level


def test_spans_of_a_question(spans: InMemorySpanExporter) -> None:
    """One tree: the question, its nodes, in them the search and the model calls."""
    usage = {"input_tokens": 90, "output_tokens": 7, "total_tokens": 97}
    model = PlainModel(answers=lambda *_, **__: AIMessage(ANSWER, usage_metadata=usage))
    with opened(chat_model=model, found=[TEXT]) as agent:
        assert ANSWER == agent.ask(BAKED).answer

    made = {one.name: one for one in spans.get_finished_spans()}
    names = {one.context.span_id: one.name for one in made.values() if one.context}

    def above(name: str) -> str:
        parent = made[name].parent
        return names[parent.span_id] if parent else ""

    assert "" == above("invoke_agent research_agent")
    for name, over in ABOVE.items():
        assert over == above(name)
    assert CHAT.items() <= attributes(made["chat plain"]).items()
    assert 1 == attributes(made["execute_tool search_chunks_tool"])["research_agent.hits"]
    everything = " ".join(one.to_json() for one in spans.get_finished_spans())
    assert not [word for word in ("degrees", "at 230", "Bread") if word in everything]


def attributes(one: ReadableSpan) -> dict[str, Any]:
    return dict(one.attributes or {})


def test_streamed_question_has_the_same_spans(spans: InMemorySpanExporter) -> None:
    """Also where the reader leaves early; what is around it is above it."""
    with opened(chat_model=MODEL, found=[TEXT]) as agent:
        agent.ask(BAKED)
    asked = sorted(one.name for one in spans.get_finished_spans())
    spans.clear()
    with opened(chat_model=MODEL, found=[TEXT]) as agent:
        with trace.get_tracer("host").start_as_current_span("host") as host:
            assert "result" == [*agent.stream(BAKED)][-1].event
        streamed = [one for one in spans.get_finished_spans() if one.name != "host"]
        (question,) = (one for one in streamed if one.name.startswith("invoke_agent"))
        early = agent.stream(BAKED)
        next(early)
        early.close()

    assert asked == sorted(one.name for one in streamed)
    assert question.parent is not None
    assert host.get_span_context().span_id == question.parent.span_id


def test_failed_call(spans: InMemorySpanExporter) -> None:
    """A span names the class of an error, and not what it says."""

    model = PlainModel(answers=Mock(side_effect=RuntimeError("the secret text")))
    with opened(chat_model=model, found=[TEXT]) as agent, pytest.raises(ModelError):
        agent.ask(BAKED)

    failed = [one for one in spans.get_finished_spans() if one.status.is_ok is False]
    assert {"chat plain", "node answer", "invoke_agent research_agent"} == {
        one.name for one in failed
    }
    assert {"ModelError"} == {attributes(one)["error.type"] for one in failed}
    assert "secret" not in " ".join(one.to_json() for one in failed)


@pytest.mark.usefixtures("spans")
def test_log_lines(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry.log_to_stderr("info")
    telemetry.log_to_stderr("info")
    with opened(chat_model=MODEL, found=[TEXT]) as agent:
        agent.ask(BAKED)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    assert 1 == sum(line["message"] == "chat plain" for line in lines)
    assert "invoke_agent research_agent" == lines[-1]["message"]
    assert {"info"} == {line["level"] for line in lines}
    assert 1 == len({line["trace_id"] for line in lines})
    assert all(line["seconds"] >= 0 for line in lines)
    assert "degrees" not in str(lines)


@pytest.mark.usefixtures("data_home")
def test_log_level_of_the_command_line() -> None:
    assert 0 == run("--log-level", "warning", "index", "--list").exit_code
    assert logging.WARNING == telemetry.LOGGER.level


@pytest.mark.usefixtures("data_home")
def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(ConfigError, match="RESEARCH_AGENT_TRACING=otel") as told:
        telemetry.export_spans()
    monkeypatch.setenv("RESEARCH_AGENT_TRACING", "otel")
    given = run("index", "--list")

    assert 'pip install "research-agent[otel]"' == told.value.hint
    assert (2, True) == (given.exit_code, "research-agent[otel]" in given.output)
