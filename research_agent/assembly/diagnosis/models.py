"""Facts about models: each is asked once, whatever the number of roles that it fills."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace

from research_agent.assembly.diagnosis.facts import EmbeddingFacts, ModelFacts, Problem
from research_agent.assembly.diagnosis.network import host_of
from research_agent.assembly.models import (
    Models,
    connect_models,
    describe_models,
)
from research_agent.assembly.models.roles import CHAT_ROLES, api_key
from research_agent.errors import ResearchAgentError
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.models.adapters.openai import OPENAI_URL
from research_agent.models.adapters.served import context_of_embedded, context_of_served
from research_agent.models.adapters.system_clock import SystemClock
from research_agent.ports import ChatModel, Embedder
from research_agent.text.loopback import is_loopback
from research_agent.types import Completion, Message

QUESTION = (Message("user", "Write the numbers from one to twelve as words."),)
REPLY_TOKENS = 24
START_SECONDS, SECONDS = 60.0, 20.0
"""Time the embedded model has to start, and for a reply; time a model at a server has."""
TOLD_SECONDS = 5.0
"""Time a server has to say how much its models read."""
MIN_TOKENS = 4
"""A shorter reply says nothing about the speed."""
_LOCAL = RoleSettings(provider="local")
_TEXTS = tuple(
    f"Sentence {number} of a text that is as long as a short paragraph, about how bread is baked "
    "from flour, water, salt and time, and how long it has to stay in the oven." * 3
    for number in range(8)
)
OnBytes = Callable[[int, int], None]


def model_facts(
    settings: ModelSettings, environment: Mapping[str, str], *, ask: bool, on_bytes: OnBytes
) -> tuple[ModelFacts, ...]:
    """Return what is known about the models of the chat roles; raises nothing of ours."""
    described = {item.role: item for item in describe_models(settings, environment)}
    roles: dict[RoleSettings, list[str]] = {}
    for name in CHAT_ROLES:
        roles.setdefault(settings.role(name), []).append(name)
    found = []
    for role, names in roles.items():
        about = described[names[0]]
        facts = ModelFacts(roles=tuple(names), provider=role.provider, model=about.model)
        if about.state == "missing":
            facts = replace(facts, problem=Problem(about.problem, about.hint))
        elif ask and _may_ask(settings, role, environment):
            facts = _asked(facts, _alone(settings, role), environment, on_bytes)
        found.append(facts)
    return tuple(found)


def embedding_facts(
    settings: ModelSettings, environment: Mapping[str, str], *, ask: bool
) -> EmbeddingFacts:
    """Return what is known about the embedding model; raises nothing of ours."""
    name, alone = "", replace(_alone(settings, _LOCAL), embedding=settings.embedding)
    try:
        opened = connect_models(alone, environment=environment, on_progress=_unseen)
        with closing(opened) as models:
            name = models.embedder.name
            if ask and _may_ask(settings, settings.embedding, environment):
                return _embedded(models.embedder)
            return EmbeddingFacts(model=name)
    except ResearchAgentError as error:
        return EmbeddingFacts(model=name, problem=Problem(str(error), error.hint))


def _embedded(embedder: Embedder) -> EmbeddingFacts:
    """Ask an embedding model: once to load it, then for its speed."""
    dimension, clock = len(embedder.embed(["test"])[0]), SystemClock()
    started = clock.seconds()
    embedder.embed(_TEXTS)
    speed = len(_TEXTS) / max(clock.seconds() - started, 1e-6)
    return EmbeddingFacts(model=embedder.name, dimension=dimension, texts_per_second=speed)


def _unseen(_done: int, _of: int) -> None:
    """Show no progress: the embedding model has no weights to join."""


def _may_ask(settings: ModelSettings, role: RoleSettings, environment: Mapping[str, str]) -> bool:
    """Return whether a model may be asked: offline only those on this machine."""
    return not settings.offline or host_of(role, environment).own


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
    facts: ModelFacts,
    settings: ModelSettings,
    environment: Mapping[str, str],
    on_bytes: OnBytes,
) -> ModelFacts:
    """Ask a model and return the facts with what was seen."""
    try:
        opened = connect_models(settings, environment=environment, on_progress=on_bytes)
        with closing(opened) as models:
            if facts.provider == "local":
                started, _ = _timed(models.answerer, 1, START_SECONDS)
                facts = replace(facts, start_seconds=started)
            limit = START_SECONDS if facts.provider == "local" else SECONDS
            seconds, reply = _timed(models.answerer, REPLY_TOKENS, limit)
            facts = replace(facts, context=_context(models, settings.chat, environment))
    except ResearchAgentError as error:
        return replace(facts, problem=Problem(str(error), error.hint))
    return replace(
        facts,
        asked=True,
        seconds=seconds,
        tokens_per_second=_rate(reply, seconds),
        alternatives=max((max(1, len(token.alternatives)) for token in reply.tokens), default=0),
    )


def _timed(model: ChatModel, max_tokens: int, seconds: float) -> tuple[float, Completion]:
    clock = SystemClock()
    started = clock.seconds()
    reply = model.complete("answer", QUESTION, max_tokens=max_tokens, seconds=seconds)
    return clock.seconds() - started, reply


def _rate(reply: Completion, seconds: float) -> float | None:
    """Return the tokens a second at which a reply was written; None for a very short one."""
    writing = seconds - (reply.cost.read_seconds or 0.0)
    if reply.cost.completion_tokens < MIN_TOKENS or writing <= 0:
        return None
    return reply.cost.completion_tokens / writing


def _context(models: Models, role: RoleSettings, environment: Mapping[str, str]) -> int | None:
    """Return what the model's server says about its context."""
    if role.provider == "local":
        server = models.embedded
        return context_of_embedded(server.base_url(), server.api_key, seconds=TOLD_SECONDS)
    if role.provider != "openai":
        return None
    url = role.base_url or OPENAI_URL
    return context_of_served(
        url,
        role.model,
        api_key("models.answer", role, environment),
        seconds=TOLD_SECONDS,
        proxied=not is_loopback(url),
    )
