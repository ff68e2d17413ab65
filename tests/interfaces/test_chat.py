"""Conversations through the command line: a pipe, real files, a scripted model."""

import json
import os
import stat
from pathlib import Path

import pytest

from research_agent.interfaces.chat.text import quotes_in
from research_agent.types import REFUSAL
from research_agent.types.conversation import Cited
from tests.interfaces.commands import BAKED, GUIDE, SHOWN, Model, chat, in_sessions, run


def test_answers_and_commands(indexed: Path, config: str) -> None:
    """A question, where its answer stands, its quote in its text, and how it came about."""
    said = (BAKED, "/sources", "/evidence 1", "/why", "/quit")
    result = chat(config, *said, options=("-v",))

    assert 0 == result.exit_code, result.output
    assert result.stdout.startswith(f"{SHOWN}\n\n[1] guide, section Bread\n")
    assert f"[1] guide, section Bread\n     {(indexed / 'guide.md').as_uri()}\n" in result.stdout
    assert "»Bread is baked at 230 degrees.« It takes an hour." in result.stdout
    assert f"searched: {BAKED}" in result.stdout
    assert f'searched "{BAKED}": ' in result.stderr
    assert "supported: Bread is baked at 230 degrees." in result.stderr
    assert "answered (confident)" in result.stderr


@pytest.mark.usefixtures("indexed")
def test_a_session_outlives_its_process(config: str, model: Model) -> None:
    """A follow-up knows what came before; the files are their owner's, and hold plain values."""
    model.plan = '{"question": "At how many degrees is rye bread baked?"}'
    chat(config, BAKED)
    result = chat(config, "/history", "and rye bread?")
    folder = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    kept = in_sessions("select checkpoint from checkpoints")

    assert "note: session default, 1 turns" in result.stderr
    assert f"1. {BAKED}\n{SHOWN}\n" in result.stdout
    assert "asked: At how many degrees is rye bread baked? (model)" in result.stderr
    assert any("At how many degrees is rye bread baked?" in text for text in model.asked)
    assert (0o700, {0o600}) == (stat.S_IMODE(folder.stat().st_mode), set(modes.values()))
    assert ["sessions.sqlite3"] == [name for name in modes if not name.endswith(".lock")]
    assert 1 == len(kept)
    written = in_sessions("select value from writes")
    assert [] == [blob for (blob,) in (*kept, *written) if b"research_agent" in blob]


@pytest.mark.usefixtures("indexed")
def test_retry_asks_the_model_anew(
    config: str, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that is typed again gets what is kept, which is the newest reply."""
    monkeypatch.setenv("RESEARCH_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RESEARCH_AGENT_MODELS__REPLY_CACHE__MODE", "on")
    chat(config, BAKED)
    model.answer = "It takes an hour [c1]."
    result = chat(config, BAKED, "/retry", BAKED)

    answers = [line for line in result.stdout.splitlines() if line.endswith("[1].")]
    assert [SHOWN, "It takes an hour [1].", "It takes an hour [1]."] == answers


@pytest.mark.usefixtures("indexed")
def test_evidence_has_every_quote_of_a_source(config: str, model: Model) -> None:
    """Where the whole result cannot be read, the quote that the session itself keeps."""
    model.answer = "Bread is baked at 230 degrees [c1]. It takes an hour [c1]."
    both = chat(config, BAKED, "/evidence 1")
    in_sessions("update research_agent_results set result = 'unreadable'")
    old = chat(config, "/evidence 1")

    assert "»Bread is baked at 230 degrees.« »It takes an hour.«" in both.stdout
    assert "»Bread is baked at 230 degrees.« It takes an hour." in old.stdout


def test_evidence_of_a_page_has_plain_line_ends() -> None:
    item = Cited(place="guide, page 1", source="/docs/guide.pdf")
    page = "It is\r\nbaked\r\nat forty\x02five de\x02grees.\r\n"
    shown = quotes_in(page, item, "1", [(7, 12)], "It is baked at forty-five degrees.")

    assert shown.endswith("#page=1\n\nIt is\n»baked«\nat forty-five degrees.")


def test_changed_and_vanished_documents_are_told(docs: Path, config: str) -> None:
    """An older answer says so when what it cites has changed, or is no longer there."""
    chat(config, BAKED, docs=docs)
    (docs / "guide.md").write_text(GUIDE.replace("230", "250"), encoding="utf-8")
    changed = chat(config, "/sources", docs=docs)
    (docs / "guide.md").rename(docs / "other.md")
    vanished = chat(config, "/evidence 1", docs=docs)

    told = "[1] guide, section Bread: the document has changed since this was answered."
    assert f"note: turn 1: {told}" in changed.stderr
    assert told in changed.stdout
    assert "the document is no longer in the index" in vanished.stderr
    assert "error: guide, section Bread is no longer in the index as it was cited" in (
        vanished.stderr
    )


def test_files_edited_since_they_were_indexed_are_told(docs: Path, config: str) -> None:
    """With the answer that cites them, by /sources, and when a session with it is opened."""
    told = "edited, moved or deleted since it was indexed: guide"
    run("index", str(docs))
    before = run("ask", BAKED, "--config", config)
    (docs / "guide.md").write_text(GUIDE.replace("230", "2500"), encoding="utf-8")
    asked = run("ask", BAKED, "--config", config)
    talked = chat(config, BAKED, "/sources")
    opened = chat(config, "/help")

    assert told not in before.stderr
    assert f"note: {told}" in asked.stderr
    assert f"note: {told}" in talked.stderr
    assert f"note: {told}" in opened.stderr
    assert told in talked.stdout


def test_export(
    indexed: Path, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Markdown with links, a report; "~" and quotation marks are understood, no file is lost."""
    monkeypatch.setenv("HOME", str(tmp_path))
    notes = tmp_path / "my notes.md"
    said = ('"~/my notes.md"', "~/answer.html", f"{notes}", "~nobody-at-all/notes.md", '""')
    exports = [f"/export {path}" for path in (*said, f"{notes} --force")]
    first = "How long does rye bread bake?"
    result = chat(config, first, BAKED, "/sessions rename default bread", *exports)

    written = notes.read_text(encoding="utf-8")
    link = f"(<{(indexed / 'guide.md').as_uri()}>)"
    assert written.startswith("# bread\n")
    assert f"Bread is baked at 230 degrees [\\[1\\]]{link}." in written
    assert f"- [\\[1\\]]{link} guide, section Bread: “Bread is baked at 230 degrees.”" in written
    assert 0o600 == stat.S_IMODE(notes.stat().st_mode)
    report = (tmp_path / "answer.html").read_text(encoding="utf-8")
    assert report.index(first) < report.index('<h2 id="answer">') < report.index('id="sources"')
    for told in (f"{notes} is there already", "~nobody-at-all/notes.md", "no file is named"):
        assert f"error: {told}" in result.stderr
    assert 2 == result.stderr.count(f"note: written: {notes}\n")
    assert [] == list(tmp_path.glob("*--force"))


@pytest.mark.usefixtures("indexed")
def test_a_result_of_another_version_is_refused(config: str, tmp_path: Path) -> None:
    """Versions before 0.1.0 counted no supported sentences; the turns are still read."""
    chat(config, BAKED)
    ((kept,),) = in_sessions("select result from research_agent_results")
    old = {name: value for name, value in json.loads(kept).items() if name != "supported"}
    in_sessions("update research_agent_results set result = ?", json.dumps(old))
    told = chat(config, f"/export {tmp_path / 'answer.html'}", f"/export {tmp_path / 'a.md'}")

    assert "error: another version gave this answer" in told.stderr
    assert "Bread is baked" in (tmp_path / "a.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("indexed")
def test_sessions_are_listed_renamed_and_deleted(config: str) -> None:
    """The open one is marked and cannot be deleted; names are checked."""
    chat(config, BAKED, options=("--session", "one"))
    said = (
        *("", " rename one two", " delete three", " rename two ../x", " delete here"),
        *(" delete two", "", " turn"),
    )
    commands = [f"/sessions{one}" for one in said]
    result = chat(config, *commands, options=("--session", "here"))

    lines = result.stdout.splitlines()
    assert lines[0].startswith("* here: 0 turns")
    assert lines[1].startswith("  one: 1 turns, last used 2")
    assert ["one is two now", "deleted two"] == lines[2:4]
    assert 5 == len(lines)
    for told in (
        "there is no session three",
        "'../x' is no name of a session",
        "this session is open",
        "/sessions does not know turn",
    ):
        assert f"error: {told}" in result.stderr


@pytest.mark.usefixtures("indexed")
def test_old_sessions_go_after_retention_days(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit, what nobody has used for so long is deleted, and told; without, it stays."""
    chat(config, BAKED, options=("--session", "old"))
    in_sessions("update research_agent_sessions set used = 0")
    kept = chat(config, "/sessions")
    monkeypatch.setenv("RESEARCH_AGENT_SESSIONS__RETENTION_DAYS", "30")
    gone = chat(config, "/sessions")

    assert "  old: 1 turns" in kept.stdout
    assert "note: deleted, not used for long: session old" in gone.stderr
    assert "old:" not in gone.stdout


def test_docs_narrow_and_rejected_chunks_stay_away(docs: Path, config: str, model: Model) -> None:
    """Only the named documents are read, and no chunk that was rejected; both last.

    Other limits of the session stay.
    """
    rolls = "---\ndate: 2023-05-01\n---\n# Rolls\n\nRolls are baked at 210 degrees.\n"
    (docs / "rolls.md").write_text(rolls, encoding="utf-8")
    chat(config, "/docs rolls", BAKED, docs=docs)
    narrowed = [text for text in model.asked if "source=" in text]
    later = chat(config, "/docs", "/docs nothing*", "/docs all", docs=docs)
    until = ("--until", "2023", "--session", "until")
    dated = chat(config, "/docs rolls", "/docs guide", "/docs all", docs=docs, options=until)
    model.asked.clear()
    chat(config, "/docs all", BAKED, "/reject 1", BAKED, "/reject none", docs=docs)
    read = [text for text in model.asked if 'key="c1"' in text]
    whole = "Bread is baked at 230 degrees. It takes an hour."

    assert narrowed
    assert not [text for text in narrowed if 'source="guide' in text]
    assert "  guide\n* rolls\n" in later.stdout
    assert "error: no document fits 'nothing*'\nhint: /docs all: no limit. " in later.stderr
    assert "1 of 2 documents are read" in dated.stderr
    assert "error: no document is within the scope" in dated.stderr
    assert whole in read[0]
    assert whole not in read[-1]


def test_what_limits_a_session_is_kept_at_once_and_told(
    docs: Path, config: str, model: Model
) -> None:
    """Without another question; when it is opened, below a refusal, and by /why."""
    (docs / "rolls.md").write_text("# Rolls\n\nRolls are baked at 210 degrees.\n", encoding="utf-8")
    chat(config, BAKED, "/reject 1", "/docs rolls", docs=docs)
    model.answer = REFUSAL
    later = chat(config, BAKED, "/why", "/docs all", "/reject none", docs=docs)
    last = chat(config, "/docs", docs=docs)
    limits = "documents rolls; chunks left out 1"

    told = f"note: this session is limited to: {limits} (/docs all, /reject none: no limit)\n"
    assert 2 == later.stderr.count(told)
    assert "in 1 of 2 documents (" in later.stderr
    assert f"\nlimited to: {limits}\n" in later.stdout
    assert "limited to" not in last.stderr
    assert "* guide\n* rolls\n" in last.stdout


def test_asks_back_where_several_documents_fit(
    docs: Path, config: str, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short question that fits several documents is asked of the one that the person names."""
    monkeypatch.setattr("research_agent.conversation.ambiguity.MARGIN", 0.3)
    for name in ("rye", "wheat"):
        text = f"# Oven\n\nIt is baked for a while in the {name} oven.\n"
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    model.answer = "It is baked for a while in the rye oven [c1]."
    asked = "How is it baked?"
    left = chat(config, asked, docs=docs, options=("--clarify", "--session", "left"))
    again = chat(config, "rye", docs=docs, options=("--clarify", "--session", "left"))
    plain = chat(config, asked, docs=docs, options=("--no-clarify",))
    said = (asked, "/docs", "/retry", "/quit", "never read")
    quits = chat(config, *said, docs=docs, options=("--clarify", "--session", "quits"))

    assert left.stdout.startswith("Which document do you mean?\n  1  ")
    assert "[1] rye, section Oven" not in left.stdout
    assert again.stdout.startswith("Which document do you mean?\n  1  ")
    assert "[1] rye, section Oven" in again.stdout
    assert "Which document" not in plain.stdout
    assert 2 == quits.stdout.count("Which document do you mean?")
    assert 2 == quits.stderr.count("note: nothing was chosen; /retry asks again\n")
    assert "\n* rye\n" in quits.stdout
    assert "baked for a while" not in quits.stdout


@pytest.mark.usefixtures("indexed")
def test_an_answer_that_was_cut_is_told(config: str, model: Model) -> None:
    """Also to those who want to see nothing but the answer."""
    model.ended = "length"
    asked = run("ask", BAKED, "--config", config, "--quiet")
    said = chat(config, BAKED, options=("--quiet",))

    assert [SHOWN, SHOWN] == [one.stdout.partition("\n")[0] for one in (asked, said)]
    assert ["note: answer: cut at "] * 2 == [
        line[:21] for one in (asked, said) for line in one.stderr.splitlines() if "cut at" in line
    ]


def test_escape_sequences_are_made_visible(
    docs: Path, config: str, model: Model, tmp_path: Path
) -> None:
    """A hostile name and a hostile answer cannot rewrite the terminal, nor the exported file."""
    (docs / "a\x1b[31m.md").write_text("# Red\n\nIt is <b>red</b> \x1b]0;x\x07.\n", "utf-8")
    model.answer = "It is <b>red</b> \x1b]0;x\x07 [c1]."
    out = tmp_path / "o.md"
    said = ("What is red?", "/sources", "/docs", "/evidence 1", "/why", "/history")
    result = chat(config, *said, f"/export {out}", docs=docs)

    assert not {"\x1b", "\x07"} & set(result.output)
    assert "\\x1b[31m" in result.stdout
    assert "\x1b" not in out.read_text(encoding="utf-8")
    assert "<b>" not in out.read_text(encoding="utf-8").replace("\\<b\\>", "")
