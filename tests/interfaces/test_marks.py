"""Every door shows the marks of sentences, how many there are, and what an answer lacks."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from graphs.chat import Chat, ChatInput, ChatState, build_chat_graph
from research_agent import ResearchAgent
from research_agent.errors import DocumentError
from research_agent.interfaces.chat.text import answer_with_lacks, markdown
from research_agent.interfaces.cli.ask import Show, print_answer
from research_agent.interfaces.cli.rendering import marked_up
from research_agent.interfaces.web.fragments import cited_html, turn_html
from research_agent.settings import AnswerSettings, Settings, VerifySettings
from research_agent.types.conversation import Cited, Turn
from research_agent.types.documents import PagePicture, PageRequest
from research_agent.types.result import ResearchResult
from tests.fakes import BYPASSING, PROMPTS, QUESTION, ScriptedChat, ports, says
from tests.graphs.serving import Server
from tests.graphs.serving import run as researched
from tests.interfaces.reporting import UNSURE, conflict, html_of, parsed

SETTINGS = replace(BYPASSING, verify=VerifySettings(judge="off"))
SURE = "ML-KEM-768 has an encapsulation key of 1184 bytes"
OPEN = "Zebras sing loudly before dawn"
WRONG = "ML-KEM-768 has an encapsulation key of 1088 bytes"
MIXED = f"{SURE} [c1]. {OPEN} [c1]. {WRONG} [c1]."
COUNTED = "1 unconfirmed, 1 contradicted of 3 sentences"
NOTICE = "Nothing in this answer could be confirmed. The nearest passage is guide"


def opened(answer: str, settings: Settings = SETTINGS) -> ResearchAgent:
    """An agent whose model writes `answer`, and sees nothing wrong with it."""
    given = ports(ScriptedChat(says("yes")))
    return ResearchAgent(replace(given, answerer=ScriptedChat(says(answer))), settings, PROMPTS)


def result_of(answer: str, settings: Settings = SETTINGS) -> ResearchResult:
    with opened(answer, settings) as agent:
        return agent.ask(QUESTION)


def in_terminal(answer: str, capsys: pytest.CaptureFixture[str], _: Path) -> str:
    print_answer(result_of(answer), Show())
    return capsys.readouterr().out


def as_json(answer: str, capsys: pytest.CaptureFixture[str], _: Path) -> str:
    """The answer, and the counts in the words of the other doors."""
    print_answer(result_of(answer), Show(as_json=True))
    told = json.loads(capsys.readouterr().out)
    whole = told["supported"] + told["unconfirmed"] + told["contradicted"]
    counts = f"{told['unconfirmed']} unconfirmed, {told['contradicted']} contradicted"
    return f"{told['answer']}\n{counts} of {whole} sentences"


def as_tool(answer: str, _: pytest.CaptureFixture[str], __: Path) -> str:
    call = {"type": "tool_call", "id": "1", "name": "research_tool", "args": {"question": QUESTION}}
    with opened(answer) as agent:
        return str(agent.research_tool().invoke(call).content)


def in_report(answer: str, _: pytest.CaptureFixture[str], folder: Path) -> str:
    """The text of the answer's part, with marks and keys as they are written elsewhere."""
    result = result_of(answer)
    tree = parsed(html_of(folder, result, ports(ScriptedChat()).chunks))  # type: ignore[arg-type]  # (in memory)
    part = tree.css_first(".answer")
    for mark in part.css(".unproven, a.key"):
        mark.replace_with(f"[{mark.text()}]")
    for tip in part.css(".tip"):
        tip.remove()
    counts = tree.css_first("section p.soft").text()
    expected = f"Sentences: {result.supported} supported, {result.unconfirmed} unconfirmed, "
    assert counts == f"{expected}{result.contradicted} contradicted."
    return f"{part.text()}\n{COUNTED if result.contradicted else ''}"


def with_keys(told: str) -> str:
    """Return an answer with keys in the place of the numbers that people see."""
    return re.sub(r"\[(\d)\]", r"[c\1]", told)


Door = Callable[[str, pytest.CaptureFixture[str], Path], str]


@pytest.mark.parametrize("door", [in_terminal, as_json, as_tool, in_report])
def test_marks_and_counts(door: Door, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What is not supported has its own; where nothing is supported, that is said first."""
    told = with_keys(door(MIXED, capsys, tmp_path))
    nothing = door(f"{OPEN} [c1].", capsys, tmp_path)

    assert told.startswith(f"{SURE} [c1]. {OPEN} [unconfirmed]. {WRONG} [c1][contradicted].")
    assert COUNTED in told
    assert nothing.startswith(NOTICE)
    assert "[unconfirmed]." in nothing.splitlines()[2]


def test_a_conversation_keeps_the_marks() -> None:
    """In its turns, its messages, and its file."""
    given = replace(ports(ScriptedChat(says("yes"))), answerer=ScriptedChat(says(MIXED)))
    graph = build_chat_graph(given, SETTINGS, PROMPTS)
    state = graph.invoke(ChatInput(messages=[HumanMessage(QUESTION)]))
    answer = state["turns"][0]["answer"]

    assert f"{OPEN} [unconfirmed]. {WRONG} [c1][contradicted]." in answer
    assert answer in state["messages"][-1].content
    assert "\\[contradicted\\]" in markdown("talk", [Turn(answer=answer)])


def test_a_conversation_keeps_what_an_answer_lacks() -> None:
    """A part of an answer, and all of a refusal; everywhere where it is shown again."""
    prompted = replace(SETTINGS, answer=AnswerSettings(refusal="prompt"))
    for said, status in ((f"{SURE} [c1].\n", "partial"), ("", "refused")):
        given = ports(ScriptedChat(says(f"{said}NOT FOUND: its price")))
        turn = turn_in(build_chat_graph(given, prompted, PROMPTS))

        assert status == turn.status
        assert answer_with_lacks(turn).endswith("\nnot answered: its price")
        assert "\n\nNot answered:\n\n- its price\n" in markdown("talk", [turn])
        assert "Lacks: its price</p>" in turn_html(0, turn)


def test_every_quote_of_a_source_is_kept_and_marked() -> None:
    """In a conversation's file, and where the page opens the source."""
    more = "Its ciphertext has a length of 1088 bytes"
    given = ports(
        ScriptedChat(says(f"{SURE} [c1]. {more} [c1].")), texts=[f"{SURE}. It is new. {more}."]
    )
    turn = turn_in(build_chat_graph(given, SETTINGS, PROMPTS))
    with ResearchAgent(given, SETTINGS, PROMPTS) as agent:
        shown = cited_html(agent.ask(QUESTION), "1", given.chunks, no_picture)

    assert f": \u201c{SURE}.\u201d, \u201c{more}.\u201d\n" in markdown("x", [turn]).replace(
        "\\", ""
    )
    assert f"<mark>{SURE}.</mark> It is new. <mark>{more}.</mark>" in shown


def turn_in(graph: Chat) -> Turn:
    """Return the one turn of a conversation."""
    state = graph.invoke(ChatInput(messages=[HumanMessage(QUESTION)]))
    return ChatState.model_validate(state).turns[0]


def no_picture(_: PageRequest) -> PagePicture:
    raise DocumentError("there is no file")


def test_sentences_that_are_left_out_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Under `drop` they stand below the answer, with their verdict."""
    dropping = replace(SETTINGS, answer=AnswerSettings(unconfirmed="drop"))
    result = result_of(MIXED, dropping)
    print_answer(result, Show())
    told = capsys.readouterr()

    assert told.out.startswith(f"{SURE} [1].\n")
    assert f"left out, unconfirmed: {OPEN}.\nleft out, contradicted: {WRONG}." in told.out
    assert ("partial", 1, 0) == (result.status, result.supported, result.unconfirmed)
    assert "left out" in told.err


def test_what_the_model_does_not_find_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where it does not say what it is."""
    prompted = replace(SETTINGS, answer=AnswerSettings(refusal="prompt"))
    for said, told in (("its price", "its price"), ("", "a part of the question")):
        print_answer(result_of(f"{SURE} [c1].\nNOT FOUND: {said}", prompted), Show())

        assert f"not found: {told}\n" in capsys.readouterr().out


def test_conflicts_and_doubts_are_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """Both values and documents below the citations, doubts beside the answer; figures in JSON."""
    result, _ = researched(Server().ports())
    told = replace(result, unsure=(UNSURE,), conflicts=(conflict("7 bar"),))
    print_answer(told, Show())
    plain = capsys.readouterr()
    print_answer(told, Show(as_json=True))
    (listed,) = json.loads(capsys.readouterr().out)["unsure"]

    line = "\nconflict: 5 bar in guide (2024) [1], 7 bar in b (no date)"
    assert f'{line}\n    "7 bar"' in plain.out
    assert "unsure" not in plain.out
    assert "unsure about the number 5" in plain.err.splitlines()
    assert ([0, 1], 1.25, 0.75) == (listed["span"], listed["nats"], listed["value"])


def test_only_citations_are_numbers_that_open_something() -> None:
    """An element of an array in a sentence has the number of a citation and is none."""
    turn = Turn(answer="It is a[1] [c1][c9].", citations=(Cited("c1", source="a.md"),))
    assert "It is a\\[1\\] [\\[1\\]](<a.md>)\\[c9\\]." in markdown("talk", [turn])

    (link,) = marked_up("It is a[1] [1][9].", {"1": "a.md"}).spans
    assert (len("It is a[1] "), "bold blue link a.md") == (link.start, link.style)
