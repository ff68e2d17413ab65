"""The agent inside other people's graphs and agents: budgets, usage, callbacks, bad questions."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from graphs.context import ResearchContext, adjusted
from graphs.research import recursion_limit
from graphs.resuming import BEFORE
from graphs.state import ResearchInput
from research_agent import Limits, ResearchAgent, ResearchResult, Scope
from research_agent.errors import BudgetError, ConfigError, QuestionError, ToolInputError
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.graphs.serving import EVERYTHING, Server, paid
from tests.models.langchain_objects import Seen


class Desk(TypedDict, total=False):
    """A parent's state: nothing in it is called as ours is."""

    topic: str
    findings: list[ResearchResult]


class Tone(TypedDict):
    """A parent's context: it has a field that is called as one of ours is."""

    tone: str
    seconds: int


class Shared(TypedDict, total=False):
    """A parent's state with a question and a result: our graph itself is its node."""

    question: str
    result: ResearchResult


@pytest.fixture
def agent() -> Iterator[ResearchAgent]:
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, PROMPTS) as opened:
        yield opened


def desk(agent: ResearchAgent, limits: Limits | None = None) -> Any:  # noqa: ANN401 (LangGraph's)
    """A parent with another state, whose one node asks."""

    def research(state: Desk) -> Desk:
        return {"findings": [agent.ask(state["topic"], limits=limits)]}

    graph = StateGraph(Desk, context_schema=Tone)
    graph.add_node("research", research)
    graph.add_edge(START, "research")
    graph.add_edge("research", END)
    return graph.compile(name="desk")


def shared(agent: ResearchAgent) -> Any:  # noqa: ANN401 (LangGraph's)
    """A parent that has our compiled graph as its node."""
    graph = StateGraph(Shared)
    graph.add_node("research", agent.graph)
    graph.add_edge(START, "research")
    graph.add_edge("research", END)
    return graph.compile(name="shared")


def test_agent_in_a_parents_graph(agent: ResearchAgent) -> None:
    """In a node of another state the result comes back whole; ours can be a node itself."""
    done = desk(agent).invoke({"topic": QUESTION}, context=Tone(tone="brief", seconds=0))

    assert GOOD == done["findings"][0].answer
    assert done["findings"][0].usage.llm_calls > 0
    assert GOOD == shared(agent).invoke({"question": QUESTION})["result"].answer


def test_parents_callbacks_tags_and_metadata_are_honoured(agent: ResearchAgent) -> None:
    """Every node of ours is seen by the parent's callbacks, under its tags; also with aask."""
    seen = Seen()
    config: RunnableConfig = {"callbacks": [seen], "tags": ["desk"], "metadata": {"case": 7}}

    async def asked(state: Desk) -> Desk:
        return {"findings": [await agent.aask(state["topic"])]}

    graph = StateGraph(Desk)
    graph.add_node("research", asked)
    graph.add_edge(START, "research")
    desk(agent).invoke({"topic": QUESTION}, config)
    alone = list(seen.ran)
    asyncio.run(graph.compile().ainvoke({"topic": QUESTION}, config))

    for ran in (alone, seen.ran[len(alone) :]):
        ours = [one for one in ran if one[0] in {"retrieve", "answer", "plan_calls", "report"}]
        assert {"retrieve", "answer", "plan_calls", "report"} == {name for name, _, _ in ours}
        assert all("desk" in tags and 7 == metadata["case"] for _, tags, metadata in ours)


@pytest.mark.parametrize("question", ["", " \n\t", "\x00\x07", "x" * 100_000])
@pytest.mark.parametrize("parent", [desk, shared])
def test_empty_or_enormous_question_is_a_clear_error(
    parent: Any,  # noqa: ANN401 (one of two functions)
    question: str,
    agent: ResearchAgent,
) -> None:
    """The parent gets a QuestionError that says what is wrong, before anything is searched."""
    with pytest.raises(QuestionError, match=r"the question (is empty|has 100,000 characters)"):
        parent(agent).invoke({"topic": question, "question": question})


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(llm_calls=3), "budget_llm_calls"),
        (Limits(tokens=120), "budget_tokens"),
        (Limits(rounds=1), "max_rounds"),
        (Limits(seconds=8.0), "budget_seconds"),
    ],
)
def test_budget_handed_down_holds(limits: Limits, stop: str) -> None:
    """The question costs no more than its parent allows, and says what ended it."""
    model = Server(takes=1.0)
    with ResearchAgent(model.ports(), EVERYTHING, PROMPTS) as agent:
        result = desk(agent, limits).invoke({"topic": QUESTION})["findings"][0]

    left = limits.after(result.usage)
    assert stop == result.stop_reason
    assert len(model.asked) == result.usage.llm_calls <= (limits.llm_calls or 99)
    assert result.usage.elapsed_seconds <= (limits.seconds or 999)
    assert model.tokens <= (limits.tokens or 99_999)
    assert left.llm_calls == (limits.llm_calls and limits.llm_calls - result.usage.llm_calls)


EVERYWHERE = Scope()
CALL = {"type": "tool_call", "id": "1", "name": "research_tool"}
CEILING = r"4 rounds are more than budget.max_rounds allows \(3\)"


def test_rounds_are_raised_up_to_the_ceiling() -> None:
    """By Limits, by a context and by a tool's call; the next question is as configured."""
    asked = ResearchInput(question=QUESTION)
    call = {**CALL, "args": {"question": QUESTION, "rounds": 2}}
    ways: tuple[Callable[[ResearchAgent], Any], ...] = (
        lambda agent: agent.graph.invoke(asked, context=ResearchContext(rounds=2))["result"],
        lambda agent: agent.ask(QUESTION, limits=Limits(rounds=2)),
        lambda agent: agent.research_tool().invoke(call).artifact,
        lambda agent: agent.ask(QUESTION),
    )
    rounds = []
    for ask in ways:
        with ResearchAgent(Server().ports(), paid(rounds=1), PROMPTS) as agent:
            rounds.append(ask(agent).rounds)

    assert [2, 2, 2, 1] == rounds
    assert recursion_limit(paid(rounds=1, max_rounds=20)) > 20 * len(BEFORE)


@pytest.mark.parametrize(
    ("limits", "scope", "told"),
    [
        (Limits(rounds=4), EVERYWHERE, CEILING),
        (Limits(seconds="60"), EVERYWHERE, "Limits.seconds must be a number, not '60'"),  # type: ignore[arg-type]  # (wrong)
        (Limits(search_mode="guess"), EVERYWHERE, "search_mode: it should be 'planned'"),  # type: ignore[arg-type]  # (wrong)
        ({"llm_call": 1}, EVERYWHERE, "limits have to be Limits or a mapping of its fields"),
        ({"filter_mode": "x"}, EVERYWHERE, "filter_mode: it should be 'off'"),
        (7, EVERYWHERE, "limits have to be Limits or a mapping of its fields, not '7'"),
        (None, Scope(documents=("gide",)), "no document fits 'gide'"),
        (None, Scope(folders=("/x",)), "no document is in the folder /x"),
        (None, Scope(since="soon"), "'soon' is no date"),
    ],
)
def test_what_cannot_be_had_is_told(
    limits: Limits | None, scope: Scope, told: str, agent: ResearchAgent
) -> None:
    """In Python, in a stream and as a node of another graph; nothing is asked or cut silently."""
    asked = ResearchInput(question=QUESTION, scope=scope)
    for ask in (
        lambda: agent.ask(QUESTION, limits=limits, scope=scope),
        lambda: asyncio.run(agent.aask(QUESTION, limits=limits, scope=scope)),
        lambda: list(agent.stream(QUESTION, limits=limits, scope=scope)),
        lambda: agent.graph.invoke(asked, context=ResearchContext.of(limits or Limits())),
    ):
        with pytest.raises((ConfigError, ToolInputError), match=told) as caught:
            ask()
        assert "retrieval_mode" not in caught.value.hint  # (no field of Limits)


def test_limits_and_context_hold_for_one_question(agent: ResearchAgent) -> None:
    """Search, filter, doubt and evidence are those that the caller names; then as configured."""
    model = Server()
    limits = Limits(search_mode="planned", filter_mode="off", verify_profile="dragin")
    question = ResearchInput(question=QUESTION)
    context = ResearchContext(filter_mode="off", retrieval_mode="dense", evidence_chunks=1)
    with ResearchAgent(model.ports(), EVERYTHING, PROMPTS) as steered:
        result = steered.ask(QUESTION, limits=limits)
        changed = list(model.asked)
        steered.ask(QUESTION)
    narrowed = agent.graph.invoke(question, context=context)["result"]
    after = agent.graph.invoke(question)["result"]

    assert "off" == result.filter_stats.mode
    assert not {"plan_calls", "filter"} & set(changed)
    assert {"plan_calls", "filter"} <= set(model.asked)
    assert "dragin" == adjusted(EVERYTHING, ResearchContext.of(limits)).verify.profile
    assert ("off", 1) == (narrowed.filter_stats.mode, len(narrowed.evidence))
    assert None is narrowed.evidence[0].hit.lexical
    assert BYPASSING.filter.mode == after.filter_stats.mode
    assert len(after.evidence) > 1


@pytest.mark.parametrize(
    ("limits", "which"),
    [
        (Limits(llm_calls=0), "llm_calls"),
        (Limits(seconds=0.4), "seconds"),
        (Limits(tokens=3), "tokens"),
        (Limits(cost=0.0), "cost"),
        ({"llm_calls": 0}, "llm_calls"),
        (Limits(rounds=-1), "rounds"),
        (Limits(seconds=float("nan")), "seconds"),
    ],
)
def test_nothing_left_is_told_before_anything_is_asked(limits: Limits, which: str) -> None:
    """A parent that has spent all gets a BudgetError that names the limit."""
    model = Server()
    with (
        ResearchAgent(model.ports(), EVERYTHING, PROMPTS) as agent,
        pytest.raises(BudgetError, match=f"budget.{which} is spent"),
    ):
        agent.ask(QUESTION, limits=limits)

    assert [] == model.asked


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"question": ""}, "the question is empty"),
        ({"question": QUESTION, "max_seconds": "soon"}, "max_seconds: it should be a valid number"),
        ({"question": QUESTION, "rounds": 4}, "allows (3). Ask for at most 3, or raise"),
        ({"question": QUESTION, "documents": ["gide"]}, "fits 'gide'. The nearest: 'guide'"),
    ],
)
def test_tool_tells_a_model_what_is_wrong(
    arguments: dict[str, object], told: str, agent: ResearchAgent
) -> None:
    """The message says how to put it right; nothing is raised into the other agent."""
    tool, call = agent.research_tool(), {**CALL, "args": arguments}

    for message in (tool.invoke(call), asyncio.run(tool.ainvoke(call))):
        assert "error" == message.status
        assert told in message.content


def test_tool_within_what_its_host_has_left(agent: ResearchAgent) -> None:
    """The host is asked at each call; when all is spent, the model is told so."""
    left = iter([Limits(llm_calls=30), Limits(llm_calls=0)])
    tool = agent.research_tool(lambda: next(left))
    call = {**CALL, "args": {"question": QUESTION}}

    first, second = tool.invoke(call), asyncio.run(tool.ainvoke(call))

    assert GOOD == first.artifact.answer
    assert second.content.startswith("no answer: budget.llm_calls is spent")
    alone = agent.as_tool()
    assert alone.invoke(QUESTION) == first.content == asyncio.run(alone.ainvoke(QUESTION))
    spent = agent.as_tool({"llm_calls": 0}).invoke(call)  # (the same for each call)
    assert second.content == spent.content
