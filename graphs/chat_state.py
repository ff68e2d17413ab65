"""The conversation's state: messages for chat interfaces, and plain values for everything else.

What a node returns is turned into plain JSON values before it is kept, and validated on every
read. So a checkpoint holds no class of ours, and a later version can read it.
"""

from dataclasses import replace
from typing import Annotated, Any

from langchain_core.messages import AnyMessage, HumanMessage, convert_to_messages
from langgraph.graph.message import add_messages
from langgraph.runtime import get_runtime
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from research_agent.context import RunContext
from research_agent.stopping import check
from research_agent.types.conversation import Choices, FollowUp, Ledger, Turn
from research_agent.types.scope import Scope, scope_of

from .context import ResearchContext
from .event_stream import passed_on
from .node_wrapper import Node, Runs, Threads, for_question, runs
from .state import State, append


def as_messages(value: object) -> object:
    """Return messages in any of the forms that LangChain knows, such as role and content.

    Anything but a list is left as it is. Raises ValueError for what is no message.

    >>> [message.type for message in as_messages([{"role": "user", "content": "Hi"}])]
    ['human']
    """
    if not isinstance(value, list | tuple):
        return value
    try:
        return convert_to_messages(value)
    except (NotImplementedError, KeyError, TypeError) as error:
        raise ValueError(f"no message: {error}") from error


class Limits(TypedDict, total=False):
    """A scope as plain values; see `research_agent.types.scope.Scope`."""

    documents: list[str]
    folders: list[str]
    kinds: list[str]
    since: str
    until: str


class ChatInput(State):
    """What a person gives: a message, and what is not to be read."""

    messages: Annotated[
        list[AnyMessage],
        BeforeValidator(as_messages),
        Field(description="The conversation; the last human message is the question."),
        add_messages,  # (LangGraph takes it for the reducer only where it stands last)
    ]
    scope: Annotated[
        Limits | None, Field(description="Which documents may be read; {}: all. None: as before.")
    ] = None
    rejected: Annotated[
        dict[str, str] | None,
        Field(description="Ids of chunks not to be read, with digests. None: as before."),
    ] = None


class ChatState(ChatInput):
    """A conversation. The comment names the writer."""

    model_config = ConfigDict(extra="ignore", revalidate_instances="always")
    # (what an older or a newer version kept besides is passed over)
    asked: FollowUp = FollowUp()  # contextualize: the question as it is asked
    choices: Choices = Choices()  # detect_ambiguity: what only a person can decide
    chosen: str = ""  # clarify: what the person said
    turns: Annotated[tuple[Turn, ...], append] = ()  # ask: one a question
    ledger: Ledger = Ledger()  # ask: chunks seen and cited

    @property
    def said(self) -> str:
        """The last human message's text."""
        texts = [m.text for m in self.messages if isinstance(m, HumanMessage)]
        return texts[-1] if texts else ""

    @property
    def limits(self) -> Scope:
        """What may be read, without the rejected chunks."""
        return replace(scope_of(self.scope or {}), exclude=frozenset(self.rejected or ()))

    @property
    def offer(self) -> dict[str, object]:
        """What is asked when the run stops for a choice, as JSON."""
        return {"question": self.choices.question, "options": list(self.choices.options)}


class ChatUpdate(TypedDict, total=False):
    """What a node of the conversation may return."""

    messages: list[AnyMessage]
    asked: FollowUp
    choices: Choices
    chosen: str
    turns: list[Turn]
    ledger: Ledger


def bind_chat(name: str, node: Node, run: RunContext, threads: Threads) -> Runs:
    """Return `node` with `run` bound to it; what it returns is kept as plain values.

    The settings are those that the run's ResearchContext asks for. The events of its
    research question are also events of the conversation.
    """

    def call(state: object) -> dict[str, Any]:
        check()
        runtime = get_runtime(ResearchContext)
        given = for_question(run, runtime.context)
        with passed_on(runtime.stream_writer):
            update = node(ChatState.model_validate(state), given)
        return {
            name: value if name == "messages" else to_jsonable_python(value)
            for name, value in update.items()
        }

    return runs(name, call, threads)
