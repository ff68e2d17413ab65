"""Objects of LangChain that a program hands over instead of what the settings name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from research_agent.assembly.models.roles import CHAT_ROLES, ChatRole
from research_agent.errors import ConfigError
from research_agent.model_settings import RoleSettings
from research_agent.models.adapters.langchain.calling import object_name
from research_agent.presets import changed, with_preset
from research_agent.settings import Settings


@dataclass(frozen=True, slots=True)
class Given:
    """Objects of LangChain; None: what the settings name. And whether to begin an index."""

    chats: Mapping[str, object] = field(default_factory=dict)
    """By role: "answer", "planner", "filter", "verifier"; "chat" for all that are not there."""
    embeddings: object = None
    retriever: object = None
    reranker: object = None
    create: bool = field(default=False, kw_only=True)
    """Make an index without documents where there is none."""

    def of(self, role: ChatRole) -> object:
        """Return the chat model of a role; None where the settings name it."""
        return self.chats.get(role, self.chats.get("chat"))

    def over(self, settings: Settings) -> Settings:
        """Return settings that say what is given, with the preset that fits it.

        Raises ConfigError for a role that there is not, and where only this machine may be asked:
        whom an object asks is not known.
        """
        roles, models = ("chat", *CHAT_ROLES), dict(self.chats)
        if unknown := models.keys() - {*roles}:
            said = f"chat_model: no role {min(unknown)!r}"
            raise ConfigError(said, hint=f"Roles: {', '.join(roles)}.")
        changes: dict[str, object] = {}
        if "chat" in models:
            changes = {f"models.{role}": RoleSettings() for role in CHAT_ROLES}
        models |= {"embedding": self.embeddings} if self.embeddings else {}
        for role, one in models.items():
            changes[f"models.{role}"] = RoleSettings(provider="langchain", model=object_name(one))
        changes |= {"rerank.mode": "http"} if self.reranker else {}
        if self.retriever:
            changes |= {"retrieval.mode": "lexical", "retrieval.question_kinds": False}
        if not changes:
            return settings
        if settings.models.offline:
            raise ConfigError(
                "models.offline is set, and nobody knows whom a given object asks",
                hint="Leave the object out, or do without models.offline.",
            )
        laid = replace(settings.laid, own=(*settings.laid.own, *changes))
        over = changed(settings, {**changes, "laid": laid})
        return with_preset(over, settings.preset) if settings.laid.name else over


NOTHING_GIVEN = Given()
