"""Model servers that fail in every way and place, and many questions at once over a bad one."""

import asyncio
import gc
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from graphs.chat import ChatInput, ChatState, build_chat_graph
from research_agent.assembly.models.connecting import connect_models
from research_agent.errors import ModelUnavailableError, ResearchAgentError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.model_settings import ModelSettings, ReplyCacheSettings, RoleSettings
from research_agent.models.adapters.system_clock import SystemClock
from research_agent.ports import Ports
from research_agent.settings import BudgetSettings, Settings
from research_agent.types.result import ResearchResult
from tests.fakes import LOOP, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.graphs.serving import DENIED, EVERYTHING, FIRST, PLAN, TEXTS
from tests.loopback import CLOSED, Json, Live, Raw, error_reply, server, text_reply, token
from tests.loopback_faults import FAULTS
from tests.torture.harness import Part, holds

ROLES = ("planner", "filter", "answer", "verifier")
DEADLINE, SLACK = 4.0, 8.0
"""Seconds of a question's budget, and above it on a busy machine."""
KEY = "sk-torture-key"
CASES = list(product(FAULTS, ROLES, ("ask", "chat")))


def good(given: Json) -> Json:
    """Reply as a flawless model; its name is its role."""
    role, schema = given["model"], json.dumps(given.get("response_format", ""))
    if given.get("max_tokens") == 1:
        return text_reply("yes", tokens=[token("yes", -0.01, {"no": -4.6})])
    if given.get("tools"):
        return text_reply("done")
    said = {"planner": json.dumps(PLAN), "filter": "k1 -> KEEP\nk2 -> KEEP", "answer": FIRST}
    return text_reply(json.dumps(DENIED) if "verdicts" in schema else said.get(role, "yes"))


@contextmanager
def connected(
    urls: dict[str, str], seconds: float, given: Ports, places: int = 4
) -> Iterator[Ports]:
    """Give ports whose roles ask these servers."""
    roles: dict[str, Any] = {
        "chat" if name == "answer" else name: RoleSettings(
            provider="openai", model=name, base_url=url, api_key_env="TORTURE_KEY"
        )
        for name, url in urls.items()
    }
    settings = ModelSettings(
        **roles, timeout=1.0, concurrency=places, reply_cache=ReplyCacheSettings(mode="off")
    )
    models = connect_models(
        settings, environment={"TORTURE_KEY": KEY}, on_progress=lambda *_: None, seconds=seconds
    )
    asked = {
        name: getattr(models, name) for name in ("answerer", "planner", "filterer", "verifier")
    }
    with closing(models):
        yield replace(given, **asked, clock=SystemClock())


def prepared(_: Path) -> None:
    """Load what the first question would wait for."""
    with (
        server(good) as url,
        connected(dict.fromkeys(ROLES, url), 60, ports(ScriptedChat())) as given,
    ):
        ResearchAgent(given, Settings(), PROMPTS).ask(QUESTION)


def faulty(_: None, number: int, _random: Random, _folder: Path) -> str:
    """Ask while one role's server fails: an answer or an error with a hint, in time."""
    fault, role, mode = CASES[number]
    settings = replace(EVERYTHING, budget=BudgetSettings(seconds=DEADLINE, rounds=2))
    with ExitStack() as stack:
        fine = stack.enter_context(server(good))
        bad = stack.enter_context(server(FAULTS[fault](good)))
        texts = ports(ScriptedChat(), texts=TEXTS)
        given = stack.enter_context(
            connected(dict.fromkeys(ROLES, fine) | {role: bad}, DEADLINE, texts)
        )
        began, error, said = time.monotonic(), None, ""
        try:
            if mode == "ask":
                agent = stack.enter_context(ResearchAgent(given, settings, PROMPTS))
                said = told(agent.ask(QUESTION))
            else:
                graph = build_chat_graph(given, settings, PROMPTS, checkpointer=InMemorySaver())
                said = turn(graph, ChatInput(messages=[HumanMessage(QUESTION)]))
        except ResearchAgentError as failed:
            error = failed
        took = time.monotonic() - began
        holds(took < DEADLINE + SLACK, f"{fault}, {role}, {mode}: {took:.1f} s", "hung")
        text = f"{said} {error} {getattr(error, 'hint', '')}"
        for word in ("SECRET", KEY):
            holds(word not in text, f"{fault}, {role}, {mode} repeats {word}: {text}", "leaked")
        if error:
            holds(error.hint, f"{fault}, {role}, {mode}: no hint: {error}")
            holds(role == "answer", f"{fault}, {role}, {mode}: {error}", "lost")
    return "told" if error else said.partition(":")[0]


def told(result: ResearchResult) -> str:
    return f"{result.status}: {result.answer} {result.warnings} {result.refusal_reason}"


def turn(graph: Any, given: ChatInput) -> str:  # noqa: ANN401 (a graph)
    """Return what a turn of a conversation says; where it fails, the thread has to be usable."""
    place = {"configurable": {"thread_id": "t"}}
    try:
        state = ChatState.model_validate(graph.invoke(given, place))
    except ResearchAgentError:
        holds(("ask",) == graph.get_state(place).next, "the question is not open any more", "lost")
        raise
    last = state.turns[-1]
    return f"{last.status}: {last.answer} {last.warnings}"


CITIES = [f"Town{number}" for number in range(40)]
FAST = (
    *(CLOSED, Raw(200, b"<html>SECRET</html>", "text/html"), Raw(200, b'{"choices": [{"mess')),
    *(error_reply(500, "SECRET"), error_reply(429, "SECRET"), Raw(200, b"null")),
)
AT_ONCE = 8


def length_of(city: str) -> str:
    return f"The bridge of {city} is {METRES[city]} metres long [c1]."


METRES = {city: 1000 + 7 * number for number, city in enumerate(CITIES)}
BRIDGES = [f"The bridge of {city} is {METRES[city]} metres long." for city in CITIES]


def at_once(_: None, _number: int, random: Random, _folder: Path) -> str:
    """Ask 50 questions, eight at once, of a server that fails one request in five."""
    cities = [random.choice(CITIES) for _ in range(50)]
    settings = replace(
        LOOP, budget=BudgetSettings(seconds=30, rounds=1), models=ModelSettings(concurrency=AT_ONCE)
    )
    failed, ended = [], Counter[str]()

    def bad(given: Json) -> Json | Raw | Live:
        if random.random() < 0.2:
            failed.append(given)
            return random.choice(FAST)
        if given.get("max_tokens") == 1:
            return good(given)
        asked = str(given["messages"][-1]["content"])
        return text_reply(length_of(max(CITIES, key=lambda name: asked.rfind(f"{name}?"))))

    async def ask(agent: ResearchAgent, city: str) -> None:
        try:
            result = await agent.aask(f"How long is the bridge of {city}?")
        except ResearchAgentError as error:
            holds(error.hint and "SECRET" not in str(error), f"{error}", "leaked")
            ended["told"] += 1
            return
        others = [name for name in CITIES if name != city and f"{METRES[name]} " in result.answer]
        holds(not others, f"{city} was answered with {others}: {result.answer}", "leaked")
        right = result.status == "refused" or str(METRES[city]) in result.answer
        holds(right, told(result), "lost")
        ended[result.status] += 1

    async def all_asked(agent: ResearchAgent) -> None:
        await asyncio.gather(*(ask(agent, city) for city in cities))

    with ExitStack() as stack:
        url = stack.enter_context(server(bad))
        given = ports(ScriptedChat(), texts=BRIDGES)
        given = stack.enter_context(connected(dict.fromkeys(ROLES, url), 30, given, AT_ONCE))
        agent = stack.enter_context(ResearchAgent(given, settings, PROMPTS))
        asyncio.run(all_asked(agent))
    holds(len(cities) == sum(ended.values()), f"{ended}", "lost")
    holds(failed, "no request failed")
    return "50 ended"


STEP, ROOM = 500, 24.0
"""Questions of a case, and the MB that a process may grow in one after the first."""


def flat(shared: list[float], _number: int, random: Random, _folder: Path) -> str:
    """Ask 500 questions in this process, a fifth of which fail; the memory stays what it was."""
    for _ in range(STEP):
        city = random.choice(CITIES)
        down = ModelUnavailableError("down", hint="wait")
        model = ScriptedChat(down if random.random() < 0.2 else says(length_of(city)))
        with ResearchAgent(ports(model, texts=BRIDGES[:5]), LOOP, PROMPTS) as agent:
            try:
                agent.ask(f"How long is the bridge of {city}?")
            except ModelUnavailableError:
                continue
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    shared.append(pages * 4096 / 1e6)
    grown = shared[-1] - shared[0]
    holds(grown < ROOM, f"{shared} MB", "leaked")
    return "500 asked"


PARTS = (
    Part(
        "faults",
        f"{len(FAULTS)} faults of a model server, in 4 roles, through `ask` and in a conversation",
        len(CASES),
        8,
        prepared,
        faulty,
        by="loopback server",
    ),
    Part(
        "at once",
        "50 questions each, 8 at once, one request in five fails",
        8,
        1,
        prepared,
        at_once,
        by="loopback server",
        seconds=120,
    ),
    Part(
        "memory",
        "500 questions each in one process, one in five fails: it grows by less than 24 MB",
        4,
        0,
        lambda _: [],
        flat,
        by="fake models",
        seconds=600,
    ),
)
