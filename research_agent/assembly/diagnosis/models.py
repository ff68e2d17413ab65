"""What is found about models: each is asked once, whatever the number of roles that it fills."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from research_agent.assembly.diagnosis.findings import Finding, fault_of
from research_agent.assembly.diagnosis.network import host_of
from research_agent.assembly.models.connecting import connect_models
from research_agent.assembly.models.report import describe_models
from research_agent.assembly.models.roles import CHAT_ROLES
from research_agent.errors import ConfigError, ResearchAgentError
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.ports import ChatModel
from research_agent.text.loopback import is_own
from research_agent.types import Completion, Message

QUESTION = (Message("user", "Write the numbers from one to twelve as words."),)
REPLY_TOKENS = 24
START_SECONDS, SECONDS = 60.0, 20.0
"""Time the embedded model has to start, and for a reply; time a model at a server has."""
MIN_TOKENS = 4
"""A shorter reply says nothing about the speed."""
CURE = "research-agent models"
_LOCAL = RoleSettings(provider="local")
_TEXTS = tuple(
    f"Sentence {number} of a text that is as long as a short paragraph, about how bread is baked "
    "from flour, water, salt and time, and how long it has to stay in the oven." * 3
    for number in range(8)
)
OnBytes = Callable[[int, int], None]


def model_findings(
    settings: ModelSettings, environment: Mapping[str, str], *, ask: bool, on_bytes: OnBytes
) -> Iterator[Finding]:
    """Yield what is found about the models of the chat roles; raises nothing of ours."""
    described = {item.role: item for item in describe_models(settings, environment)}
    roles: dict[RoleSettings, list[str]] = {}
    for name in CHAT_ROLES:
        roles.setdefault(settings.role(name), []).append(name)
    for role, names in roles.items():
        about = described[names[0]]
        title = f"{', '.join(names)}: {role.provider} {about.model}".rstrip()
        if about.state == "missing":
            yield fault_of("models", ConfigError(about.problem, hint=about.hint), CURE, of=title)
        elif ask and _may_ask(settings, role, environment):
            yield from _asked(title, _alone(settings, role), environment, on_bytes)
        else:
            yield Finding("ok", "models", f"{title}: not asked")


@dataclass(frozen=True, slots=True)
class EmbeddingLook:
    """The embedding model of the settings."""

    finding: Finding
    model: str
    """As an index knows it; empty where the settings name none that can be used."""
    dimension: int = 0
    """Length of its vectors; 0: not asked."""


def embedding_findings(
    settings: ModelSettings, environment: Mapping[str, str], *, ask: bool
) -> EmbeddingLook:
    """Return what is found about the embedding model; raises nothing of ours."""
    name, alone = "", replace(_alone(settings, _LOCAL), embedding=settings.embedding)
    try:
        opened = connect_models(alone, environment=environment, on_progress=lambda _, __: None)
        with closing(opened) as models:
            name = models.embedder.name
            if not ask or not _may_ask(settings, settings.embedding, environment):
                return EmbeddingLook(Finding("ok", "embedding", f"{name}: not asked"), name)
            dimension = len(models.embedder.embed(["test"])[0])
            started = time.monotonic()
            models.embedder.embed(_TEXTS)
            speed = len(_TEXTS) / max(time.monotonic() - started, 1e-6)
    except ResearchAgentError as error:
        return EmbeddingLook(fault_of("embedding", error, CURE, of="embedding"), name)
    what = f"{name}: {dimension} numbers, {speed:.0f} texts a second"
    return EmbeddingLook(Finding("ok", "embedding", what), name, dimension)


def _may_ask(settings: ModelSettings, role: RoleSettings, environment: Mapping[str, str]) -> bool:
    """Return whether a model may be asked: offline only those on this machine."""
    host = host_of(role, environment)
    return not (settings.offline and host) or is_own(host)


def _alone(settings: ModelSettings, role: RoleSettings) -> ModelSettings:
    """Return settings in which `role` fills all chat roles: others' faults are not in its way.

    A fault shows at once, and no reply comes from a cache.
    """
    limit, empty = START_SECONDS if role.provider == "local" else SECONDS, RoleSettings()
    return replace(
        settings,
        chat=role,
        answer=empty,
        planner=empty,
        filter=empty,
        verifier=empty,
        embedding=_LOCAL,
        retries=0,
        timeout=min(settings.timeout or limit, limit),
        reply_cache=ReplyCacheSettings(mode="off"),
    )


def _asked(
    title: str, settings: ModelSettings, environment: Mapping[str, str], on_bytes: OnBytes
) -> Iterator[Finding]:
    role, started = settings.chat, ""
    limit = START_SECONDS if role.provider == "local" else SECONDS
    try:
        opened = connect_models(settings, environment=environment, on_progress=on_bytes)
        with closing(opened) as models:
            if role.provider == "local":
                started = f"started in {_timed(models.answerer, 1, limit)[0]:.1f} s, "
            seconds, reply = _timed(models.answerer, REPLY_TOKENS, limit)
    except ResearchAgentError as error:
        yield fault_of("models", error, CURE, of=title)
        return
    tokens = reply.cost.completion_tokens
    written = f", {tokens / seconds:.0f} tokens a second" if tokens >= MIN_TOKENS else ""
    yield Finding("ok", "models", f"{title}: {started}answers in {seconds:.1f} s{written}")
    listed = max((max(1, len(token.alternatives)) for token in reply.tokens), default=0)
    if listed:
        what = f"gives log-probabilities of the {listed} likeliest tokens at each place"
        yield Finding("ok", "models", f"{title}: {what}")
        return
    why = "the server sent none, or refused to when it was asked for them"
    if role.provider == "bedrock":
        why = "Bedrock's Converse has none"
    what = f"gives no log-probabilities ({why}); uncertainty is not measured from its words"
    yield Finding("note", "models", f"{title}: {what}")


def _timed(model: ChatModel, max_tokens: int, seconds: float) -> tuple[float, Completion]:
    started = time.monotonic()
    reply = model.complete("answer", QUESTION, max_tokens=max_tokens, seconds=seconds)
    return time.monotonic() - started, reply
