"""An agent's ports with a trace in front: one that writes them down, or one that answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from research_agent.assembly.known_vectors import RecentEmbedder
from research_agent.assembly.models.chats import SAMPLE_TEMPERATURE
from research_agent.assembly.models.roles import ChatRole
from research_agent.config import changed_settings
from research_agent.model_settings import RoleSettings
from research_agent.models.adapters import trace_ports
from research_agent.models.adapters.minilm import MiniLM
from research_agent.models.adapters.trace_file import FORMAT, TraceFile, read_lines
from research_agent.ports import Ports
from research_agent.settings import RerankSettings, Settings
from research_agent.text.addresses import without_passwords
from research_agent.types import TraceEvent

__all__ = ["TraceFile", "read_lines"]  # (what is handed on)

PORTS: Mapping[ChatRole, str] = {
    "answer": "answerer",
    "planner": "planner",
    "filter": "filterer",
    "verifier": "verifier",
}
"""The port of each role."""
OWN = ("models.", "rerank.", "sessions.", "blend.diagnostics")
"""Settings that a replay takes from its user, and `--set` changes there too."""


def header(settings: Settings, **more: object) -> Mapping[str, object]:
    """Return the first line of a trace: settings without passwords, and what else is known.

    The settings name environment variables, never the keys that are in them.
    """
    plain = json.loads(without_passwords(json.dumps(asdict(settings))))
    return {"line": "header", "format": FORMAT, **more, "settings": plain}


def recorded_ports(ports: Ports, settings: Settings, write: trace_ports.Write) -> Ports:
    """Return `ports` with every call to a model written down."""
    chats: dict[str, Any] = {
        port: trace_ports.RecordingChat(getattr(ports, port), identity, write)
        for port, identity in _identities(ports, settings).items()
    }
    return replace(
        ports,
        **chats,
        embedder=trace_ports.RecordingEmbedder(ports.embedder, write),
        reranker=ports.reranker and trace_ports.RecordingReranker(ports.reranker, write),
        decisions=ports.decisions and trace_ports.RecordingDecisions(ports.decisions, write),
    )


@dataclass(frozen=True, slots=True)
class Replayed:
    """Ports that answer from a trace."""

    ports: Ports
    chats: Sequence[trace_ports.ReplayedChat]

    @property
    def replayed(self) -> int:
        """Model calls that were answered from the trace."""
        return sum(chat.replayed for chat in self.chats)

    @property
    def asked(self) -> int:
        """Model calls that a model was asked."""
        return sum(chat.asked for chat in self.chats)


def connecting_settings(
    recorded: Settings, own: Settings, changes: Sequence[str], *, live: bool
) -> Settings:
    """Return what a replay connects with: recorded settings with the user's own models and files.

    Without `live` no role has a server: nobody is asked. A changed key of a model, such as
    "models.answer.model=m", is the user's own too.
    """
    own = changed_settings(asdict(own), [one for one in changes if one.startswith(OWN)])
    models = replace(own.models, top_logprobs=recorded.models.top_logprobs)
    rerank = replace(own.rerank, mode=recorded.rerank.mode)
    if not live:
        empty: dict[str, Any] = dict.fromkeys(PORTS, RoleSettings())
        models = replace(models, chat=RoleSettings(provider="local"), offline=False, **empty)
        rerank = RerankSettings()
    blend = replace(recorded.blend, diagnostics=own.blend.diagnostics)
    return replace(recorded, models=models, rerank=rerank, blend=blend, sessions=own.sessions)


def replayed_ports(
    ports: Ports, recorded: Settings, lines: Sequence[trace_ports.Line], *, offline_only: bool
) -> Replayed:
    """Return `ports` with the calls that a trace holds answered from there.

    `recorded` are the settings by which they are found. With `offline_only` no other call is made:
    only the packaged embedding model, which is no server, is asked for what is new.
    """
    chats = {
        port: trace_ports.ReplayedChat(
            None if offline_only else getattr(ports, port), lines, identity
        )
        for port, identity in _identities(ports, recorded).items()
    }
    embedder = ports.embedder
    within = embedder.embedder if isinstance(embedder, RecentEmbedder) else embedder
    may_ask = not offline_only or isinstance(within, MiniLM)
    reranked = recorded.rerank.mode == "http"
    given: dict[str, Any] = {
        **chats,
        "embedder": trace_ports.ReplayedEmbedder(embedder, lines, may_ask=may_ask),
        "reranker": trace_ports.ReplayedReranker(None if offline_only else ports.reranker, lines)
        if reranked
        else None,
        "decisions": trace_ports.RecordedDecisions(lines),
    }
    return Replayed(replace(ports, **given), tuple(chats.values()))


def _identities(ports: Ports, settings: Settings) -> Mapping[str, str]:
    """Return what tells the replies of each port's model from those of others."""
    found = {port: _identity(settings, role) for role, port in PORTS.items()}
    if ports.sampler:  # (its second answers are not the first ones of the answer model)
        own = {"sample_temperature": SAMPLE_TEMPERATURE}
        found["sampler"] = json.dumps([found["answerer"], own])
    return found


def _identity(settings: Settings, role: ChatRole) -> str:
    models = settings.models
    own = models.role(role)
    local = asdict(models.local) if own.provider == "local" else None
    plain = json.dumps([asdict(own), local, models.top_logprobs], sort_keys=True)
    return without_passwords(plain)


def merged_state(
    before: Mapping[str, object], written: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the state, as JSON values, after a step has `written` to it.

    The trace grows; one that begins with what is there takes its place, as that of the search.
    """
    after = {**before, **written}
    old, new = before.get("trace", []), written.get("trace", [])
    if isinstance(old, list) and isinstance(new, list):
        after["trace"] = new if new[: len(old)] == old else [*old, *new]
    return after


def ending_at(trace: Sequence[TraceEvent], now: float) -> tuple[TraceEvent, ...]:
    """Return a trace of another process as if its last event had ended `now`, on this clock."""
    last = max((event.started + event.seconds for event in trace), default=0.0)
    return tuple(replace(event, started=event.started + now - last) for event in trace)
