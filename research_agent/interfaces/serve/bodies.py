"""What requests hold, and what they are answered with: the schemas of /openapi.json."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from research_agent.errors import ToolInputError
from research_agent.interfaces.own_graphs import own, research_tool, state
from research_agent.presets import NAMES
from research_agent.settings import Preset
from research_agent.types.conversation import Turn

if TYPE_CHECKING:
    from graphs import tool_inputs as inputs
    from graphs.chat_state import Limits as Scope
else:
    inputs = own("tool_inputs")

MODEL = "research-agent"
MODELS = (MODEL, *(f"{MODEL}-{preset}" for preset in NAMES))
"""What clients of /v1/chat/completions can choose from: as configured, or with a preset."""
SESSION = r"^[A-Za-z0-9_-]{1,64}$"


class ChatInputs(inputs.ToolInput):
    """A question in a conversation."""

    session: str = Field(
        pattern=SESSION, description="Its id: the client's choice; a new one begins a conversation."
    )
    question: str = Field(
        max_length=100_000, description="What is asked; it may refer to earlier answers."
    )
    documents: inputs.Names | None = Field(None, description="Read only these documents.")
    since: str = Field("", max_length=10, description="Read only documents dated from then on.")
    until: str = Field("", max_length=10, description="Read only documents dated up to then.")
    preset: Preset | None = Field(None, description="How thorough to be.")

    @property
    def scope(self) -> "Scope":
        """What may be read."""
        given: Scope = {"documents": self.documents or [], "since": self.since, "until": self.until}
        return given


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


class StreamOptions(BaseModel):
    """What a stream tells besides."""

    include_usage: bool = False


class CompletionInputs(BaseModel):
    """A request of OpenAI's chat completions; what is not named here is passed over."""

    model_config = ConfigDict(extra="ignore")
    model: str = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1000)]
    stream: bool = False
    stream_options: StreamOptions | None = None

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


class Told(BaseModel):
    """What went wrong."""

    message: str
    type: str
    hint: str = ""


class Problem(BaseModel):
    """The body of every error."""

    error: Told


EVENTS = "text/event-stream"
POSTS: Mapping[str, tuple[str, TypeAdapter[Any]]] = {
    "/v1/research": ("Answer a question", TypeAdapter(research_tool.ResearchInputs)),
    "/v1/search": ("Find passages", TypeAdapter(inputs.SearchChunksInput)),
    "/v1/chat": ("Ask in a conversation", TypeAdapter(ChatInputs)),
    "/v1/chat/completions": ("Answer as OpenAI's API does", TypeAdapter(CompletionInputs)),
}
"""Path: what it does, and what a request holds."""
GETS = {
    "/v1/models": "List the names for chat completions",
    "/health": "Whether the process runs",
    "/ready": "Whether an index can be asked",
    "/metrics": "Counters for Prometheus",
    "/openapi.json": "This description",
}


def openapi() -> dict[str, Any]:
    """Return the OpenAPI description as JSON values."""
    modes: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        *((path, "validation", adapter) for path, (_, adapter) in POSTS.items()),
        ("result", "serialization", state.RESULT),
        ("problem", "serialization", TypeAdapter(Problem)),
    ]
    schemas, shared = TypeAdapter.json_schemas(modes, ref_template="#/components/schemas/{model}")
    contents = {name: {"application/json": {"schema": one}} for (name, _), one in schemas.items()}
    problem = {"description": "An error", "content": contents["problem"]}
    paths: dict[str, Any] = {}
    for path, (summary, _) in POSTS.items():
        whole = contents["result"] if path in ("/v1/research", "/v1/chat") else {}
        answered = {"description": f"JSON, or {EVENTS}", "content": whole}
        given = {"required": True, "content": contents[path]}
        responses = {"200": answered, "default": problem}
        paths[path] = {"post": {"summary": summary, "requestBody": given, "responses": responses}}
    for path, summary in GETS.items():
        responses = {"200": {"description": "Done"}, "default": problem}
        paths[path] = {"get": {"summary": summary, "responses": responses}}
    token = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "research-agent", "version": version("research-agent")},
        "paths": paths,
        "components": {"schemas": shared.get("$defs", {}), "securitySchemes": token},
        "security": [{"token": []}],
    }
