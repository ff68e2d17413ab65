"""What requests and answers hold, and the OpenAPI description that is made of it."""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import JsonSchemaMode
from typing_extensions import TypedDict

from research_agent.errors import ToolInputError
from research_agent.interfaces.http_limits import Problem
from research_agent.interfaces.own_graphs import chat, research_tool, state, tool_inputs
from research_agent.presets import NAMES
from research_agent.settings import Preset
from research_agent.types.conversation import Turn

MODEL = "research-agent"
MODELS = (MODEL, *(f"{MODEL}-{preset}" for preset in NAMES))
"""What clients of /v1/chat/completions can choose from: as configured, or with a preset."""
SESSION = r"^[A-Za-z0-9_-]{1,64}$"


class ChatInputs(tool_inputs.ToolInput):
    """A question in a conversation."""

    session: str = Field(
        pattern=SESSION, description="Its id: the client's choice; a new one begins a conversation."
    )
    question: str = Field(
        max_length=100_000, description="What is asked; it may refer to earlier answers."
    )
    documents: tool_inputs.Names | None = Field(None, description="Read only these documents.")
    since: str = Field("", max_length=10, description="Read only documents dated from then on.")
    until: str = Field("", max_length=10, description="Read only documents dated up to then.")
    preset: Preset | None = Field(None, description="How thorough to be.")

    @property
    def scope(self) -> chat.Limits:
        """What may be read."""
        return {"documents": self.documents or [], "since": self.since, "until": self.until}


class Part(BaseModel):
    """A part of a message; only text is read."""

    type: str = "text"
    text: str = ""


class ChatMessage(BaseModel):
    """A message of a conversation that the client remembers."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or () if part.type == "text")


class CompletionInputs(BaseModel):
    """A request of OpenAI's chat completions; what is not named here is passed over."""

    model_config = ConfigDict(extra="ignore")
    model: str = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    stream: bool = False
    stream_options: dict[str, Any] | None = None

    @property
    def preset(self) -> str | None:
        """The preset that the model's name asks for; raises ToolInputError for another model."""
        if self.model not in MODELS:
            raise ToolInputError(
                f"there is no model {self.model[:100]!r}", hint=f"There are: {', '.join(MODELS)}."
            )
        return self.model.removeprefix(MODEL).removeprefix("-") or None

    @property
    def question(self) -> str:
        """The last message; raises ToolInputError where it is not the user's."""
        if self.messages[-1].role != "user":
            raise ToolInputError("the last message has to be the user's")
        return self.messages[-1].text

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What was asked and answered before."""
        return tuple(_turns(self.messages[:-1]))


def _turns(messages: Sequence[ChatMessage]) -> list[Turn]:
    said = [message for message in messages if message.role in ("user", "assistant")]
    return [
        Turn(text=first.text, question=first.text, answer=second.text, status="answered")
        for first, second in pairwise(said)
        if (first.role, second.role) == ("user", "assistant")
    ]


class Found(TypedDict):
    """What a search finds; `chunks` as in docs/tools.md."""

    total_found: int
    files_searched: int
    search_time_ms: float
    filtering_stats: dict[str, Any]
    chunks: list[dict[str, Any]]
    notes: list[str]


EVENTS = "text/event-stream"


Json = dict[str, Any]
ANSWERS: dict[str, TypeAdapter[Any]] = {
    "result": state.RESULT,
    "found": TypeAdapter(Found),
    "completion": TypeAdapter(Json),
    "problem": TypeAdapter(Problem),
}
POSTS: dict[str, tuple[str, Any, str]] = {
    "/v1/research": ("Answer a question", research_tool.ResearchInputs, "result"),
    "/v1/search": ("Find passages", tool_inputs.SearchChunksInput, "found"),
    "/v1/chat": ("Ask in a conversation", ChatInputs, "result"),
    "/v1/chat/completions": ("As OpenAI's API does", CompletionInputs, "completion"),
}
"""Path: summary, schema of the request, name of the answer."""
GETS = {
    "/v1/models": "List the names for chat completions",
    "/health": "Whether the process runs",
    "/ready": "Whether an index can be asked",
    "/metrics": "Counters for Prometheus",
    "/openapi.json": "This description",
}
OPEN = ("/health", "/ready", "/openapi.json")


def openapi() -> Json:
    """Return the description as JSON values."""
    wanted: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        *((path, "validation", TypeAdapter(given)) for path, (_, given, _) in POSTS.items()),
        *((name, "serialization", adapter) for name, adapter in ANSWERS.items()),
    ]
    schemas, shared = TypeAdapter.json_schemas(wanted, ref_template="#/components/schemas/{model}")
    content = {name: {"application/json": {"schema": one}} for (name, _), one in schemas.items()}
    problem = {"description": "An error", "content": content["problem"]}
    paths: Json = {}
    for path, (summary, _, answer) in POSTS.items():
        streamed: Json = {EVENTS: {}} if answer != "found" else {}
        done = {"description": "Done", "content": content[answer] | streamed}
        paths[path] = {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": content[path]},
                "responses": {"200": done, "default": problem},
            }
        }
    for path, summary in GETS.items():
        kind = "text/plain" if path == "/metrics" else "application/json"
        done = {"description": "Done", "content": {kind: {}}}
        responses = {"200": done, "default": problem}
        security: Json = {"security": []} if path in OPEN else {}
        paths[path] = {"get": {"summary": summary, "responses": responses, **security}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "research-agent", "version": version("research-agent")},
        "paths": paths,
        "components": {
            "schemas": shared.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }
