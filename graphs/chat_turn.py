"""One turn of a conversation: the research graph is asked, and what is kept of its answer."""

from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig

from research_agent.conversation.ambiguity import chosen
from research_agent.ports import ChunkStore
from research_agent.types.conversation import (
    Ledger,
    Turn,
    chunk_digest,
    entered,
    known_chunks,
    turn_of,
)
from research_agent.types.scope import Scope

from .chat_state import ChatState
from .research import ResearchGraph
from .state import ResearchInput, ResearchOutput

Research = ResearchGraph
OWN: RunnableConfig = {"configurable": {"__pregel_durability": "async"}}
"""A graph without checkpoints must not inherit durability "sync": LangGraph 1.2 waits for one."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a turn adds to the conversation."""

    messages: list[AnyMessage]
    turns: list[Turn]
    ledger: Ledger


def ask(state: ChatState, *, research: Research, chunks: ChunkStore) -> Kept:
    """Ask the research graph, from a fresh state, and return what is kept of the answer.

    It is given the question by itself, what it may read, and what the answers before have cited.
    Rejected chunks are left out as long as their text is the one that was rejected, and so is what
    was told where the question asks for more.
    """
    section, scope = _narrowed(state, _limits(state, chunks))
    asked = state.asked
    given = ResearchInput(
        question=asked.question + section,
        scope=scope,
        known=known_chunks(asked, state.turns),
    )
    output = research.invoke(given, OWN)
    result = ResearchOutput.model_validate(output).result
    turn = turn_of(asked, result)
    about = {"status": turn.status, "citations": [item.place for item in turn.citations]}
    message = AIMessage(result.answer, response_metadata=about)
    return Kept([message], [turn], entered(state.ledger, asked, result))


def _limits(state: ChatState, chunks: ChunkStore) -> Scope:
    """Return what may be read; a chunk that has changed is no longer left out.

    A question that asks for more does not read again what was told.
    """
    told = state.ledger.told if state.asked.more else {}
    rejected = {**told, **(state.rejected or {})}
    found = chunks.chunks(list(rejected)) if rejected else ()
    same = {c.chunk_id for c in found if rejected[c.chunk_id] in ("", chunk_digest(c))}
    return replace(state.limits, exclude=frozenset(same))


def _narrowed(state: ChatState, scope: Scope) -> tuple[str, Scope]:
    """Return what the question has behind it, and the scope, after what a person chose."""
    choices = state.choices
    option = chosen(choices, state.chosen) if choices.options else ""
    if not option:
        return "", scope
    if choices.kind == "section":
        return f" (section {option})", scope
    return "", replace(scope, doc_ids=frozenset({option}))
