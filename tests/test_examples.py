"""The examples run: a script, a supervisor with two sub-agents, an agent that reasons and acts."""

import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr

from examples import ask_in_python, react_agent
from examples.supervisor import supervisor, watched
from research_agent import Limits, ResearchAgent
from tests.fakes import BYPASSING, GOOD, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.interfaces.commands import GUIDE, Model, run, served
from tests.loopback import Json, server, text_reply, tool_reply

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


@pytest.fixture
def agent() -> Iterator[ResearchAgent]:
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, PROMPTS) as opened:
        yield opened


@pytest.mark.usefixtures("data_home")
def test_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script streams the steps to stderr, and prints the answer with its quote."""
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    assert 0 == run("index", str(tmp_path / "guide.md")).exit_code
    with served(Model(), tmp_path) as config:
        monkeypatch.setenv("RESEARCH_AGENT_CONFIG", config)
        ask_in_python.main("At how many degrees is bread baked?")

    out, err = capsys.readouterr()
    assert [
        "Bread is baked at 230 degrees [c1].",
        "[c1] guide, section Bread: 'Bread is baked at 230 degrees.'",
    ] == out.splitlines()
    assert err.startswith("retrieve: searched ")


@pytest.mark.parametrize("name", ["react_agent", "supervisor"])
@pytest.mark.filterwarnings("ignore:.* found in sys.modules")
def test_without_a_task_the_usage_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a traceback."""
    monkeypatch.setattr(sys, "argv", [f"{name}.py"])
    with pytest.raises(SystemExit, match=rf"usage: {name}\.py TASK"):
        runpy.run_module(f"examples.{name}", run_name="__main__")


def test_supervisor_asks_the_second_where_the_first_refuses(agent: ResearchAgent) -> None:
    """The second one gets what the first one has left of the budget."""
    empty = ports(ScriptedChat(says("The recipe says [c9].")), texts=("Bread is baked.",))
    with ResearchAgent(empty, BYPASSING, PROMPTS) as other:
        limits = Limits(llm_calls=9, tool_calls=9)
        graph = supervisor({"recipes": other, "standards": agent}, limits)
        done = graph.invoke({"task": QUESTION})

    used = [result.usage.llm_calls for result in done["results"].values()]
    assert f"standards: {GOOD}" == done["answer"]
    assert ["refused", "answered"] == [result.status for result in done["results"].values()]
    assert 9 - sum(used) == done["left"].llm_calls
    searched = [result.usage.tool_calls for result in done["results"].values()]
    assert [1, 1] == searched
    assert 7 == done["left"].tool_calls


def test_supervisor_is_watched(agent: ResearchAgent, capsys: pytest.CaptureFixture[str]) -> None:
    """What the sub-agent does is told on the way, as custom events of the supervisor's graph."""
    done = watched(supervisor({"standards": agent}), QUESTION)

    assert f"standards: {GOOD}" == done["answer"]
    assert capsys.readouterr().err.startswith("retrieve: searched ")


def test_react_agent_spends_its_budget_call_by_call(agent: ResearchAgent) -> None:
    """Calls of one turn share it, and a later turn of a thread has what earlier ones left.

    What the model asks for only lowers it.
    """
    requests: list[Json] = []
    arguments = json.dumps({"question": QUESTION, "max_llm_calls": 8})
    reply = tool_reply("research_tool", arguments)
    calls = reply["choices"][0]["message"]["tool_calls"]
    calls += [{**calls[0], "id": "2"}]
    script = iter([reply, text_reply("1184 bytes."), reply, text_reply("It has 1184 bytes.")])

    def scripted(request: Json) -> Json:
        requests.append(request)
        return next(script)

    with server(scripted) as url:
        model = ChatOpenAI(model="scripted", base_url=url, api_key=SecretStr("none"))
        graph = react_agent.react(model, agent, Limits(llm_calls=3), InMemorySaver())
        asked = {"messages": [("user", QUESTION)]}
        before, done = graph.invoke(asked, THREAD), graph.invoke(asked, THREAD)
        model.root_client.close()

    first = next(m for m in before["messages"] if isinstance(m, ToolMessage))
    _, *others = (m for m in done["messages"] if isinstance(m, ToolMessage))
    assert "research_tool" == requests[0]["tools"][0]["function"]["name"]
    assert str(first.content).startswith(GOOD)
    assert ("answered", QUESTION) == (first.artifact.status, first.artifact.question)
    assert 2 == first.artifact.usage.llm_calls
    assert 3 == len(others)
    assert all(str(one.content).startswith("no answer: ") for one in others[1:])
    assert all("llm_calls" in str(one.content) for one in others[1:])
    assert 0 == done["left"].llm_calls
    assert "It has 1184 bytes." == done["messages"][-1].content
