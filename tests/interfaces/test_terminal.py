"""What people meet in a terminal: styles, questions asked back, history, settings in one place."""

import os
import pty
import re
import sys
from contextlib import chdir, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from prompt_toolkit import PromptSession
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from research_agent.answering.result_lines import quoted_words, references
from research_agent.config import configured
from research_agent.interfaces.chat.lines import Lines, keys
from research_agent.interfaces.chat.repl import COMMANDS as CHATTED
from research_agent.interfaces.cli.main import COMMANDS, GROUPS, main
from research_agent.interfaces.web.workspace import Workspace
from research_agent.text.quote_search import Quote
from research_agent.types import Chunk, Hit
from research_agent.types.claims import Claim
from research_agent.types.evidence import Evidence
from research_agent.yaml_text import read_yaml
from tests.interfaces.commands import BAKED, SHOWN, Model, printed, run
from tests.interfaces.reporting import over_pdf


def at_terminal(folder: Path, *arguments: str, typed: str = "", **variables: str) -> str:
    """Give a command in a terminal of its own, and return all that it shows."""
    mine, other = pty.openpty()
    shown = bytearray()

    def read() -> None:
        with suppress(OSError):  # (so Linux says that the other side is closed)
            while piece := os.read(mine, 65_536):
                shown.extend(piece)

    reading = Thread(target=read)
    reading.start()
    os.write(mine, typed.encode())
    with pytest.MonkeyPatch.context() as patched, chdir(folder):
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "200", **variables}.items():
            patched.setenv(name, value)
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            patched.setattr(sys, name, os.fdopen(os.dup(other), mode, buffering=1))
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            stream.close()
    os.close(other)
    reading.join()
    os.close(mine)
    assert 0 == ended.value.code, shown
    return shown.decode()


def test_a_newcomer_is_offered_the_folder_and_asked_for_a_question(
    docs: Path, config: str, model: Model
) -> None:
    """`ask` alone indexes here; the answer has bold words and links, and steps move in a line."""
    model.answer, model.takes = "Bread is baked at **230** degrees [c1].", 0.4
    shown = at_terminal(docs, "ask", "--config", config, typed=f"y\n{BAKED}\n")
    plain = at_terminal(docs, "ask", BAKED, "--config", config, NO_COLOR="1")

    assert f"Nothing is indexed yet. Read {docs}? [Y/n]" in shown
    assert "\x1b[1m230\x1b[0m degrees" in shown
    assert f"{(docs / 'guide.md').as_uri()}\x1b\\" in shown
    assert "reading the passages and writing" in shown
    assert "Bread is baked at **230** degrees [1].\r\n\r\n[1] guide, section Bread" in plain
    assert "\x1b" not in plain


@pytest.mark.usefixtures("indexed")
def test_a_question_from_stdin_is_kept_in_the_history(config: str, model: Model) -> None:
    """Each `ask` with its number, shown again as it was; a refusal is status 5 where wanted."""
    asked = ("--config", config, "--quiet")
    piped = CliRunner().invoke(main, ["ask", "-", *asked], input=f"{BAKED}\n")
    assert "nothing" not in run("history").stdout
    with Workspace(configured(config).settings, "default") as page:
        assert ([], "default") == (page.sessions(), page.first_session())
    latin = f"Fran\xe7ois: {BAKED}".encode("latin-1")
    assert 0 == CliRunner().invoke(main, ["ask", "--no-history", *asked], input=latin).exit_code
    model.verdict = "no"
    refused = [run("ask", "What else?", *asked, *more) for more in ([], ["--fail-on-refusal"])]
    listed, again = run("history").stdout.splitlines(), run("history", "1")
    missing = run("history", "9")

    assert piped.stdout.startswith(f"{SHOWN}\n"), piped.output
    assert [0, 5] == [result.exit_code for result in refused]
    assert "answered" in listed[0]
    assert listed[0].endswith(BAKED)
    assert ["refused", "refused"] == [line.split()[3] for line in listed[1:]]
    assert again.stdout == piped.stdout
    assert BAKED == printed(run("history", "1", "--json"))["question"]
    assert (1, "error: there is no question 9") == (missing.exit_code, missing.stderr[:29])
    run("history", "--clear")
    assert "nothing was asked yet\n" == run("history").stdout


@pytest.mark.usefixtures("indexed")
def test_options_change_the_model_and_any_setting(config: str) -> None:
    """For one command; wrong keys are wrong usage, with the nearest one."""
    given = ("models", "--config", config)
    named = run(*given, "--model", "other").stdout
    numbered = run("models", "--model", "@cf/4", "--config", config).stdout
    local, elsewhere = (run(*given, "-m", name).stdout for name in ("local", "bedrock:nova"))
    ollama = run("models", "-m", "ollama:qwen3:8b").stdout
    asked = run("ask", BAKED, "--config", config, "--json", "--set", "answer.max_tokens=77")
    wrong = [run("ask", BAKED, "--set", text) for text in ("answer.max_tokns=7", "answer.mode")]

    assert "answer: openai other" in named
    assert "answer: openai @cf/4 [ready] http://127.0.0.1:" in numbered
    assert local.startswith("answer: local")
    assert "http" not in local + elsewhere
    assert elsewhere.startswith("answer: bedrock nova")
    assert "answer: openai qwen3:8b" in ollama
    assert "127.0.0.1:11434" in ollama
    assert "answer: openai scripted [ready]" in run(*given).stdout
    assert 1 == run("models", "--set", "models.local.path=/nowhere.gguf").exit_code
    assert 0 == asked.exit_code
    assert [2, 2] == [result.exit_code for result in wrong]
    assert "Did you mean answer.max_tokens?" in wrong[0].stderr
    assert "no value is given" in wrong[1].stderr


def test_the_page_of_the_first_citation_opens(
    indexed: Path, config: str, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a citation, or a browser, it is said."""
    opened: list[str] = []

    def browse(where: str) -> bool:
        opened.append(where)
        return len(opened) == 1

    monkeypatch.setattr("webbrowser.open", browse)
    asked = ("ask", BAKED, "--config", config, "--open")
    done, without = run(*asked), run(*asked)
    model.verdict = "no"
    refused = run(*asked)

    page = (indexed / "guide.md").as_uri()
    assert [page, page] == opened
    assert "browser" not in done.stderr
    assert f"no browser could be started; the page is {page}" in without.stderr
    assert "nothing is cited, so no page is opened" in refused.stderr


def test_commands_are_in_three_groups_and_complete() -> None:
    """The help names each command once; a shell gets names to complete."""
    told = run("--help").stdout
    scripts = [run("completion", shell).stdout for shell in ("bash", "zsh", "fish")]
    variables = {"_RESEARCH_AGENT_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    given = {**variables, "COMP_WORDS": "research-agent hist"}
    offered = CliRunner().invoke(main, env=given, prog_name="research-agent")

    assert ["Everyday", "Set-up", "Expert"] == list(GROUPS)
    for name in (*GROUPS, *COMMANDS):
        assert 1 == len(re.findall(rf"^ *{name}(:|  )", told, re.MULTILINE))
    assert all("_RESEARCH_AGENT_COMPLETE" in script for script in scripts)
    assert "plain,history\n" == offered.stdout


def test_every_sentence_has_its_quote_and_tables_their_head(tmp_path: Path) -> None:
    """Keys become numbers without gaps; one quote a sentence, each once."""
    result, _ = over_pdf(tmp_path)
    text = "Table 3. Sizes\n | key | text\nML-KEM-768 | 1184 | 1088\nML-KEM-1024 | 1568 | 1568"
    rows = [
        Quote(1.0, row, text.index(row), text.index(row) + len(row)) for row in text.split("\n")
    ]
    claims = (
        Claim("One is 1184.", ("c7",), (rows[2],), "supported"),
        Claim("Two is 1568.", ("c7",), (rows[3],), "supported"),
        Claim("Again 1184.", ("c7",), (rows[2],), "supported"),
    )
    told = replace(
        result,
        answer="One is 1184 [c7]. Two is 1568 [c7]. Again 1184 [c7].",
        citations=(replace(result.citations[0], key="c7"),),
        claims=claims,
        evidence=(Evidence("c7", Hit(Chunk("t", "guide", text, kind="table"))),),
    )
    (found,) = references(told)

    head = "Table 3. Sizes\n | key | text\n"
    assert "1" == found.number
    assert (f"{head}{rows[2].quote}", f"{head}{rows[3].quote}") == found.texts
    assert (f"{head}{rows[2].quote}",) == quoted_words(claims[2], told)


def test_the_users_own_file_is_changed_key_by_key(data_home: Path) -> None:
    """It is found in every folder; comments stay; what is no good is refused, and nothing lost."""
    file = data_home / "research-agent.yaml"
    assert 0 == run("config", "init").exit_code
    text = file.read_text(encoding="utf-8")
    changes = (
        *(("models.chat.model", "qwen3"), ("budget.rounds", "3"), ("budget.rounds", "2")),
        *(("preset", "full"), ("retrieval.top_k", "20"), ("models.local", "{context: 4096}")),
        ("models.local.threads", "2"),
    )
    assert [0] * 7 == [run("config", "set", *change).exit_code for change in changes]
    now = file.read_text(encoding="utf-8")
    wrong = [
        run("config", "set", *bad) for bad in (("retrieval.top_k", "0"), ("budget.round", "1"))
    ]

    assert {
        "models": {"chat": {"model": "qwen3"}, "local": {"context": 4096, "threads": 2}},
        "budget": {"rounds": 2},
        "preset": "full",
        "retrieval": {"top_k": 20},
    } == {key: value for key, value in read_yaml(now).items() if value is not None}
    assert set(re.findall(r"#.*", text)) == set(re.findall(r"#.*", now))
    assert 13 == len(re.findall(r"^ *# [a-z_]+: \S", text, re.MULTILINE))
    assert [2, 2] == [result.exit_code for result in wrong]
    assert now == file.read_text(encoding="utf-8")
    assert "20\n" == run("config", "get", "retrieval.top_k").stdout
    assert "budget.rounds: 2\n" in run("config", "get", "budget").stdout
    assert "Did you mean retrieval?" in run("config", "get", "retrievel").stderr
    assert 0o600 == file.stat().st_mode & 0o777


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"retrieval: {top_k: many}", "own.yaml: retrieval.top_k: Input should be"),
        (b"retrieval: {top_k: 0}", "own.yaml: retrieval.top_k must be 1 to 500 chunks, got 0"),
        (b"retrieval: {topk: 3}", "own.yaml: unknown key retrieval.topk"),
        (b"preset: \xff", "own.yaml is not YAML"),
    ],
)
def test_a_wrong_file_is_told_with_the_defaults(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    """What `config show` is the hint for it does not end at; a wrong value can be set right."""
    own = tmp_path / "own.yaml"
    own.write_bytes(content)
    shown = run("config", "show", "--config", str(own))
    done = run("config", "set", "retrieval.top_k", "20", "--config", str(own))

    assert 2 == shown.exit_code
    assert problem in shown.stderr
    assert "\n  top_k: 30\n" in shown.stdout
    is_value = b"top_k" in content
    assert (0 if is_value else 2) == done.exit_code
    assert problem in done.stderr or is_value
    assert (b"retrieval: {top_k: 20}" if is_value else content) == own.read_bytes()


def test_typed_lines_have_several_lines() -> None:
    """Alt-Enter begins another line, Enter ends it."""
    with create_pipe_input() as given:
        session: PromptSession[str] = PromptSession(
            input=given, output=DummyOutput(), key_bindings=keys()
        )
        given.send_text("one\x1b\rtwo\r")
        assert "one\ntwo" == Lines(session).next("> ")
    assert {"/sources", "/evidence", "/export", "/help"} < set(CHATTED)


def test_skipped_files_and_settings_are_named_unless_quiet(
    docs: Path, config: str, data_home: Path
) -> None:
    (docs / "image.xyz").touch()
    asked = ("ask", BAKED, "--docs", str(docs))
    result = run(*asked, "--config", config)
    own = data_home / "research-agent.yaml"
    own.write_text(Path(config).read_text("utf-8"), encoding="utf-8")
    told, quiet = run(*asked).stderr, run(*asked, "--quiet")

    assert "skipped: image.xyz\n" in result.stderr
    assert f"settings: {own}\n" in told
    assert (f"{SHOWN}\n", "") == (quiet.stdout[: len(SHOWN) + 1], quiet.stderr)
