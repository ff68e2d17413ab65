"""Conversations through the command line: a pipe, real files, a scripted model."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.interfaces.commands import GUIDE, Model, chat, guide_folder, served

pytestmark = pytest.mark.usefixtures("data_home")
QUESTION = "At how many degrees is bread baked?"
ANSWER = "Bread is baked at 230 degrees [c1]."


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return guide_folder(tmp_path)


def test_answers_and_commands(docs: Path, tmp_path: Path) -> None:
    """A question, where its answer stands, its quote in its text, and how it came about."""
    with served(Model(), tmp_path) as config:
        result = chat(config, QUESTION, "/sources", "/evidence c1", "/why", "/quit", docs=docs)

    assert 0 == result.exit_code, result.output
    assert result.stdout.startswith(f"{ANSWER}\n\n[c1] guide, section Bread\n")
    assert f"[c1] guide, section Bread\n     {(docs / 'guide.md').as_uri()}\n" in result.stdout
    assert "»Bread is baked at 230 degrees.« It takes an hour." in result.stdout
    assert f"searched: {QUESTION}" in result.stdout
    assert "retrieve: searched" in result.stderr
    assert "supported: Bread is baked at 230 degrees. [c1]" in result.stderr
    assert "answered (confident)" in result.stderr


def test_history_outlives_the_process(docs: Path, tmp_path: Path) -> None:
    """A second run goes on: the history is there, and a follow-up knows what came before."""
    model = Model(plan='{"question": "At how many degrees is rye bread baked?"}')
    with served(model, tmp_path) as config:
        chat(config, QUESTION, docs=docs)
        result = chat(config, "/history", "and rye bread?", docs=docs)

    assert "note: session default, 1 turns" in result.stderr
    assert f"1. {QUESTION}\n{ANSWER}\n" in result.stdout
    assert "asked: At how many degrees is rye bread baked? (model)" in result.stderr
    assert any("At how many degrees is rye bread baked?" in text for text in model.asked)


def test_files_are_their_owners_alone(docs: Path, tmp_path: Path) -> None:
    """The folder and the database, its side files too, can be read by nobody else."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs)
    folder = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions"

    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert {"sessions.sqlite3": 0o600} == {
        name: mode for name, mode in modes.items() if not name.endswith(".lock")
    }
    assert {0o600} == set(modes.values())


def test_only_plain_values_are_kept(docs: Path, tmp_path: Path) -> None:
    """The database names no class of ours, and one checkpoint is left of all."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, QUESTION, docs=docs)
    file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
    with closing(sqlite3.connect(file)) as database:
        kept = database.execute("select checkpoint from checkpoints").fetchall()
        written = database.execute("select value from writes").fetchall()

    assert 1 == len(kept)
    assert [] == [blob for (blob,) in (*kept, *written) if b"research_agent" in blob]


def test_changed_and_vanished_documents_are_told(docs: Path, tmp_path: Path) -> None:
    """An older answer says so when what it cites has changed, or is no longer there."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs)
        (docs / "guide.md").write_text(GUIDE.replace("230", "250"), encoding="utf-8")
        changed = chat(config, "/sources", docs=docs)
        (docs / "guide.md").rename(docs / "other.md")
        vanished = chat(config, "/evidence c1", docs=docs)

    told = "[c1] guide, section Bread: the document has changed since this was answered."
    assert f"note: turn 1: {told}" in changed.stderr
    assert told in changed.stdout
    assert "the document is no longer in the index" in vanished.stderr
    assert "error: guide, section Bread is no longer in the index as it was cited" in (
        vanished.stderr
    )


def test_export(docs: Path, tmp_path: Path) -> None:
    """Markdown with links that open, the report on the last answer, and no file overwritten."""
    notes, report = tmp_path / "notes.md", tmp_path / "answer.html"
    with served(Model(), tmp_path) as config:
        said = (f"/export {notes}", f"/export {report}", f"/export {notes}")
        result = chat(config, QUESTION, "/sessions rename default bread", *said, docs=docs)

    written = notes.read_text(encoding="utf-8")
    link = f"(<{(docs / 'guide.md').as_uri()}>)"
    assert written.startswith("# bread\n")
    assert f"Bread is baked at 230 degrees [\\[c1\\]]{link}." in written
    assert f"- [\\[c1\\] guide, section Bread]{link}: “Bread is baked at 230 degrees.”" in written
    assert 0o600 == stat.S_IMODE(notes.stat().st_mode)
    assert "Bread is baked at 230 degrees" in report.read_text(encoding="utf-8")
    assert f"error: {notes} is there already" in result.stderr


def test_export_to_the_home_folder(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sign "~" is the person's folder in both kinds of file; quotation marks are left out."""
    monkeypatch.setenv("HOME", str(tmp_path))
    said = ("/export ~/notes.md", "/export ~/answer.html", "/export ~nobody-at-all/notes.md")
    quoted = ('/export "~/my notes.md"', '/export ""')
    with served(Model(), tmp_path) as config:
        result = chat(config, QUESTION, *said, *quoted, docs=docs)

    assert (tmp_path / "notes.md").exists()
    assert (tmp_path / "my notes.md").exists()
    assert "error: no file is named" in result.stderr
    assert "Bread is baked" in (tmp_path / "answer.html").read_text(encoding="utf-8")
    assert "error: ~nobody-at-all/notes.md" in result.stderr


def test_sessions_are_listed_renamed_and_deleted(docs: Path, tmp_path: Path) -> None:
    """The open one is marked and cannot be deleted; names are checked."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs, options=("--session", "one"))
        result = chat(
            config,
            "/sessions",
            "/sessions rename one two",
            "/sessions delete three",
            "/sessions rename two ../x",
            "/sessions delete here",
            "/sessions delete two",
            "/sessions retention",
            "/sessions",
            docs=docs,
            options=("--session", "here"),
        )

    lines = result.stdout.splitlines()
    assert lines[0].startswith("* here: 0 turns")
    assert lines[1].startswith("  one: 1 turns, last used 2")
    assert ["one is two now", "deleted two"] == lines[2:4]
    assert "kept until you delete them (sessions.retention_days is 0)" == lines[4]
    assert 6 == len(lines)
    assert "error: there is no session three" in result.stderr
    assert "error: '../x' is no name of a session" in result.stderr
    assert "error: this session is open" in result.stderr


def test_old_sessions_go_after_retention_days(docs: Path, tmp_path: Path) -> None:
    """With a limit, what nobody has used for so long is deleted, and told; without, it stays."""
    with served(Model(), tmp_path) as config:
        chat(config, QUESTION, docs=docs, options=("--session", "old"))
        file = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions" / "sessions.sqlite3"
        with closing(sqlite3.connect(file)) as database:
            database.execute("update research_agent_sessions set used = 0")
            database.commit()
        kept = chat(config, "/sessions", docs=docs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("RESEARCH_AGENT_SESSIONS__RETENTION_DAYS", "30")
            gone = chat(config, "/sessions", docs=docs)

    assert "  old: 1 turns" in kept.stdout
    assert "note: deleted, not used for long: session old" in gone.stderr
    assert "old" not in gone.stdout


def test_docs_narrow_and_rejected_chunks_stay_away(docs: Path, tmp_path: Path) -> None:
    """Only the named documents are read, and no chunk that was rejected; both last."""
    (docs / "rolls.md").write_text("# Rolls\n\nRolls are baked at 210 degrees.\n", encoding="utf-8")
    model = Model()
    with served(model, tmp_path) as config:
        chat(config, "/docs rolls", QUESTION, docs=docs)
        narrowed = [text for text in model.asked if "source=" in text]
        later = chat(config, "/docs", "/docs nothing*", "/docs all", docs=docs)
        model.asked.clear()
        chat(config, "/docs all", QUESTION, "/reject c1", QUESTION, docs=docs)
        read = [text for text in model.asked if 'key="c1"' in text]
    whole = "Bread is baked at 230 degrees. It takes an hour."

    assert narrowed
    assert not [text for text in narrowed if 'source="guide' in text]
    assert "  guide\n* rolls\n" in later.stdout
    assert "error: no document fits 'nothing*'" in later.stderr
    assert whole in read[0]
    assert whole not in read[-1]


def test_asks_back_where_several_documents_fit(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short question that fits several documents is asked of the one that the person names."""
    monkeypatch.setattr("research_agent.conversation.ambiguity.MARGIN", 0.3)
    for name in ("rye", "wheat"):
        text = f"# Oven\n\nIt is baked for a while in the {name} oven.\n"
        (docs / f"{name}.md").write_text(text, encoding="utf-8")
    model = Model(answer="It is baked for a while in the rye oven [c1].")
    with served(model, tmp_path) as config:
        said = ("How is it baked?", "rye")
        result = chat(config, *said, docs=docs, options=("--clarify",))
        model.asked.clear()
        plain = chat(config, "How is it baked?", docs=docs, options=("--no-clarify",))

    assert result.stdout.startswith("Which document do you mean?\n  1  ")
    assert "[c1] rye, section Oven" in result.stdout
    assert "Which document" not in plain.stdout


def test_escape_sequences_are_made_visible(docs: Path, tmp_path: Path) -> None:
    """A hostile name and a hostile answer cannot rewrite the terminal, nor the exported file."""
    (docs / "a\x1b[31m.md").write_text("# Red\n\nIt is <b>red</b> \x1b]0;x\x07.\n", "utf-8")
    model = Model(answer="It is <b>red</b> \x1b]0;x\x07 [c1].")
    out = tmp_path / "o.md"
    with served(model, tmp_path) as config:
        said = ("What is red?", "/sources", "/docs", "/evidence c1", "/why", "/history")
        result = chat(config, *said, f"/export {out}", docs=docs)

    assert "\x1b" not in result.output
    assert "\x07" not in result.output
    assert "\\x1b[31m" in result.stdout
    assert "\x1b" not in out.read_text(encoding="utf-8")
    assert "<b>" not in out.read_text(encoding="utf-8").replace("\\<b\\>", "")
