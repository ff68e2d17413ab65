"""The command line on real files with the real embedder and a scripted model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from research_agent.config import configured
from research_agent.interfaces.cli.main import main
from research_agent.presets import preset_text
from research_agent.yaml_text import read_yaml
from tests.interfaces.commands import BAKED, GUIDE, SHOWN, Model, printed, run, served
from tests.loopback import Json, Raw, error_reply
from tests.studio.serving import GRAPHS

HEAVY = ("chromadb", "langchain_core", "langchain_openai", "langgraph", "numpy", "onnxruntime")


def test_help_imports_nothing_heavy() -> None:
    """The command line itself needs click alone; this is what keeps --help quick."""
    main = "research_agent.interfaces.cli.main"
    script = f"import sys, {main}; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )

    assert "[]" == done.stdout.strip()
    assert "0.1.0" in run("--version").stdout


@pytest.mark.usefixtures("data_home")
def test_console_without_a_character_shows_a_question_mark(tmp_path: Path) -> None:
    """As on Windows: the command goes on, and ends with 0."""
    (tmp_path / "brot.md").write_text("# Brot\n\nBacken: 230 \u00b0C \u2192 35 min.\n", "utf-8")
    assert 0 == run("index", str(tmp_path)).exit_code
    done = subprocess.run(
        [sys.executable, "-m", "research_agent.interfaces.cli.main", "search", "Brot"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp437"},
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    assert " ? 35 min" in done.stdout.decode("cp437")


def test_ask_indexes_and_answers_with_a_citation(docs: Path, config: str) -> None:
    """The main job: documents in, a cited answer out, steps on stderr; the index is found again."""
    given = ("ask", BAKED, "--docs", str(docs), "--config", config)
    result = run(*given, "--verbose")
    plain = run(*given)
    again = run(*given, "--verbose", "--show-prompt", "--show-evidence")

    assert 0 == result.exit_code, result.output
    assert result.stdout == plain.stdout
    assert plain.stderr.startswith("answered in ")
    assert 1 == plain.stderr.count("\n")
    assert result.stdout.startswith(f"{SHOWN}\n\n[1] guide, section Bread\n")
    assert '"Bread is baked at 230 degrees."' in result.stdout
    assert "--- [1] guide, section Bread" in again.stdout
    for step in (
        'searched "',
        "clear matches",
        "reading 2 passages of guide",
        "1 of 1 sentence confirmed",
    ):
        assert step in result.stderr
    assert "\x1b" not in result.output
    for told in ("0 files changed", "--- to answer (system):", f"Question: {BAKED}"):
        assert told in again.stderr


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_scope_narrows_or_is_told(command: str, docs: Path, config: str, model: Model) -> None:
    """Only documents that the option names are read; one that names none ends the command."""
    (docs / "rolls.md").write_text("# Rolls\n\nRolls are baked at 210 degrees.\n", encoding="utf-8")
    given = ("--docs", str(docs), "--config", config, "--verbose")
    asked = (command, BAKED) if command == "ask" else (command,)
    result = CliRunner().invoke(main, [*asked, *given, "--in", "rol*.md"], input=BAKED)
    read = "".join(text for text in model.asked if "source=" in text)
    wrong = run(*asked, *given, "--in", "role")
    late = run(*asked, *given[:-1], "--since", "tomorrow")

    assert 0 == result.exit_code, result.output
    assert 'source="rolls' in read
    assert 'source="guide' not in read
    assert (2, 2) == (wrong.exit_code, late.exit_code)
    assert "error: no document fits 'role'\nhint: The nearest: 'rolls'." in wrong.stderr
    assert "error: 'tomorrow' is no date" in late.stderr
    assert ("files changed" in wrong.stderr, "files changed" in late.stderr) == (True, False)


@pytest.mark.usefixtures("indexed")
def test_ask_json_is_the_whole_result(config: str) -> None:
    """The same object as at every other door, alone on stdout."""
    result = printed(run("ask", BAKED, "--config", config, "--json"))

    assert ("answered", "confident") == (result["status"], result["stop_reason"])
    assert "guide" == result["citations"][0]["doc_id"]
    assert GUIDE.splitlines()[2].split(". ")[0] in result["citations"][0]["quote"]
    assert result["uncertainty"]["mean_entropy"] is not None
    assert {"answer": "scripted", "verifier": "scripted"}.items() <= result["models"].items()
    assert result["usage"]["llm_calls"] >= 2


@pytest.mark.usefixtures("indexed")
def test_a_refusal_is_a_result(config: str, model: Model) -> None:
    """Status 0, the exact text, advice; it is searched for again as often as it may be."""
    model.verdict = "no"
    asked = ("ask", BAKED, "--config", config)
    result = run(*asked, "--quiet")
    once, twice, more = (run(*asked, "--json", "--rounds", n) for n in ("1", "2", "4"))

    assert (0, "not found in provided docs\n") == (result.exit_code, result.stdout)
    assert f"Searched '{BAKED}' in 1 document (" in result.stderr
    assert "nearest: guide, section Bread. " in result.stderr
    assert "refused" == printed(once)["stop_reason"]
    assert ["refused"] == [one["reason"] for one in printed(twice)["trend"]][:1]
    assert (1, 2) == (printed(once)["rounds"], printed(twice)["rounds"])
    assert "must not be larger than budget.max_rounds (3)" in more.stderr


@pytest.mark.usefixtures("indexed")
def test_drafts_that_cannot_be_confirmed(config: str, model: Model) -> None:
    """Unsupported: a notice first, the draft below with its mark; contradicted: refused."""
    model.answer = "Zebras bake cakes [c1]."
    result = run("ask", BAKED, "--config", config, "--quiet")
    model.answer = "Bread is baked at 999 degrees [c1]."
    contradicted = run("ask", BAKED, "--config", config, "--quiet")

    notice, _, draft, *_ = result.stdout.splitlines()
    assert notice.startswith("Nothing in this answer could be confirmed. The nearest passage is g")
    assert draft.endswith("[unconfirmed].")
    assert (0, 0) == (result.exit_code, contradicted.exit_code)
    assert contradicted.stdout.startswith("No answer could be confirmed; nearest passage: guide, ")


@pytest.mark.usefixtures("indexed")
def test_ask_names_its_preset_first(config: str) -> None:
    """The one that is chosen, also where a file says another; the next command has its own."""
    asked = ("ask", BAKED, "--config", config, "--verbose")
    results = [run(*asked, "--preset", name) for name in ("local", "big")]
    auto = run(*asked, "--preset", "auto", "--json")

    assert results[0].stderr.startswith("preset local\n")
    assert 2 == results[1].exit_code
    assert "error: there is no preset 'big'\nhint: Presets: auto, local, full, seed\n" == (
        results[1].stderr
    )
    assert auto.stderr.startswith("preset full (auto: openai)")
    assert "full" == json.loads(auto.stdout)["preset"]


def test_an_index_is_previewed_made_listed_and_removed(docs: Path, data_home: Path) -> None:
    """A preview writes nothing, changes are named, removing an index leaves the documents."""
    (docs / "image.png").touch()
    (docs / "other.md").write_text("# Other\n\nButter.", encoding="utf-8")
    dry = run("index", "--dry-run", str(docs))
    assert not (data_home / "indexes").exists()
    assert "no index yet" in run("index", "--list").stdout
    assert "2 indexed" in run("index", str(docs), "--index", "mine").stdout
    assert "mine: 2 documents" in run("index", "--list").stdout
    (docs / "guide.md").write_text("# Guide\n\nAnew.", encoding="utf-8")
    (docs / "other.md").unlink()
    again = ("index", "--dry-run", "--index", "mine", str(docs))
    told, lines = printed(run(*again, "--json")), run(*again).stdout.splitlines()
    assert 0 == run("index", "--remove", "mine").exit_code

    assert f"added: {docs / 'guide.md'}\n" in dry.stdout
    assert "2 added, 1 skipped; nothing was written: leave out --dry-run to do it" in dry.stdout
    assert {"guide.md": "changed", "other.md": "removed", "image.png": "skipped"} == {
        Path(file["path"]).name: file["status"] for file in told["files"]
    }
    assert f"changed: {docs / 'guide.md'}: its content has changed" in lines
    assert f"removed: {docs / 'other.md'}" in lines
    assert "no index yet" in run("index", "--list").stdout
    assert (docs / "guide.md").exists()


def test_a_refresh_reads_what_is_indexed_and_no_more(docs: Path) -> None:
    """The doctor's cures use it: a file that came since, in the same folder, is left alone."""
    run("index", str(docs))
    (docs / "private.md").write_text("A diary.")
    (docs / "guide.md").write_text("Bread is baked at 240 degrees.")

    for options in ((), ("--rebuild",)):
        told = run("index", "--refresh", *options)
        assert "1 indexed; the index holds 1 documents" in told.stdout, told.output
    assert 2 == run("index", "--refresh", str(docs)).exit_code


def test_bad_files_and_folders_are_told(docs: Path) -> None:
    """One line a file with its reason and status 3; what an empty folder held stays till asked."""
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (docs / "binary.txt").write_bytes(bytes(range(256)) * 40)
    bad = run("index", str(docs))
    for path in docs.iterdir():
        path.unlink()
    emptied = [run("index", *dry, str(docs)) for dry in (("--dry-run",), ())]
    pruned = [run("index", "--prune", *dry, str(docs)) for dry in (("--dry-run",), ())]
    (docs / "guide.xyz").write_text(GUIDE, encoding="utf-8")
    unread = run("index", str(docs), "--index", "mine")

    failed = [line for line in bad.stdout.splitlines() if line.startswith("failed:")]
    assert ["binary.txt", "broken.pdf"] == sorted(Path(line.split(": ")[1]).name for line in failed)
    assert "1 indexed, 2 failed" in bad.stdout
    assert [3] * 4 == [result.exit_code for result in (bad, unread, *emptied)]
    assert all("is its disk connected?" in result.stdout for result in emptied)
    assert all("--prune" in result.stdout for result in emptied)
    assert all("1 removed" in result.stdout for result in pruned)
    assert "guide.xyz" in unread.stdout
    assert "no document was indexed" in unread.stdout


@pytest.mark.usefixtures("data_home")
@pytest.mark.parametrize(
    ("arguments", "status", "message", "hint"),
    [
        (("ask", "what?"), 1, "index", "research-agent index"),
        (("search", "what"), 1, "index", "research-agent index"),
        (("documents",), 1, "index", "research-agent index"),
        (("calibrate", "--rules"), 1, "index", "research-agent index"),
        (("diagnose", "what?"), 1, "index", "research-agent index"),
        (("diagnose", "  "), 2, "empty", ""),
        (("index", "nowhere"), 1, "nowhere", ""),
        (("index", "."), 1, "nothing to index", "folder"),
        (("index",), 2, "name at least one", ""),
        (
            ("index", ".", "--embedding", "english", "--set", "models.embedding.provider=openai"),
            *(2, "--embedding is for packaged models", ""),
        ),
        (("ask", "  "), 2, "empty", "ask"),
        (("ask", "x" * 100_000), 2, "100,000 characters", "Index"),
        (("ask", "what?", "--docs", ".", "--index", "mine"), 2, "--index", ""),
        (("ask", "what?", "--events", "--json"), 2, "--json", ""),
        (("ask", "what?", "--drafts"), 2, "--drafts", ""),
        (("index", "--remove", "nothing"), 1, "nothing", "--list"),
        (("config", "init", "x" * 300), 2, "cannot be written", "research-agent config init PATH"),
        (("search", "q", "--index", "/" + "x" * 5000), 1, "File name too long", ""),
        (("search", "q", "--index", "x" * 5000), 1, "is no name of an index", ""),
        (("search", "q", "--config", "deep.yaml"), 2, "is not YAML: it is nested too deeply", ""),
    ],
)
def test_bad_input_is_an_error_in_words(
    arguments: tuple[str, ...],
    status: int,
    message: str,
    hint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is wrong and what to do, never a stack trace, nothing on stdout."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    if "deep.yaml" in arguments:
        Path("deep.yaml").write_text("[" * 2000, encoding="utf-8")
    result = run(*arguments)

    assert (status, "") == (result.exit_code, result.stdout)
    assert message.lower() in result.stderr.lower()
    assert hint in result.stderr
    assert "Traceback" not in result.stderr
    assert "unexpected" not in result.stderr


@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model(error=error_reply(401, "no")), "api_key_env"),
        (Model(answer=""), "hint:"),
        (Model(), "127.0.0.1"),
    ],
)
def test_model_that_fails_is_no_answer(model: Model, message: str, tmp_path: Path) -> None:
    """An error with a hint and status 1, also where nobody listens; nothing is an answer."""
    with served(model, tmp_path) as config:
        result = run("ask", BAKED, "--config", config, "--quiet")
    if message == "127.0.0.1":
        result = run("ask", BAKED, "--config", config, "--quiet")

    assert (1, "") == (result.exit_code, result.stdout)
    assert "error: " in result.stderr
    assert message in result.stderr


def test_config_is_written_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has the commented defaults, leaves presets to act, is read here and is not lost."""
    monkeypatch.chdir(tmp_path)
    file = Path("research-agent.yaml")
    init, plain = ("config", "init", "--full", str(file)), configured(None, {}).settings
    assert 0 == run(*init).exit_code
    text = file.read_text(encoding="utf-8")
    assert plain == configured(str(file), {}).settings
    file.write_text(text.replace("top_k: 30", "top_k: 31"), encoding="utf-8")

    assert "\n  # rounds: 1\n" in text
    assert "\n  cost: null\n" in text
    assert f"\n  top_k: 31  # {file.absolute()}; default 30\n" in run("config", "show").stdout
    assert (2, "") == (run(*init).exit_code, run(*init).stdout)
    assert "top_k: 31" in file.read_text(encoding="utf-8")


def test_a_preset_is_shown_as_its_file(tmp_path: Path) -> None:
    """Also what "auto" means here; `config show` has the keys of one's own that win over it."""
    config = tmp_path / "c.yaml"
    config.write_text("preset: full\nbudget: {rounds: 2}", encoding="utf-8")
    shown = run("config", "show", "--preset", "full", "--config", str(config)).stdout
    auto = run("config", "show", "--preset", "auto").stdout
    keys = run("config", "show", "--config", str(config)).stdout

    assert shown.startswith(preset_text("full"))
    assert auto.startswith(preset_text("local"))
    assert keys.startswith("# preset full\n")
    assert "\nsearch:\n  mode: tool_calling  # preset full; default planned\n" in keys
    assert f"\n  rounds: 2  # {config}; default 1\n" in keys
    assert read_yaml(keys)["models"]["chat"]["provider"] == "local"


@pytest.mark.usefixtures("indexed")
def test_a_report_that_cannot_be_written_takes_no_answer_back(tmp_path: Path) -> None:
    """A folder comes to stand at its place meanwhile: exit status 4, and the answer is there."""
    report = tmp_path / "answer.html"

    class Blocking(Model):
        def reply(self, request: Json) -> Json | Raw:
            report.mkdir(exist_ok=True)
            return super().reply(request)

    with served(Blocking(), tmp_path) as config:
        result = run("ask", BAKED, "--config", config, "--report", str(report))

    assert 4 == result.exit_code
    assert SHOWN in result.stdout
    assert "no report was written: " in result.stderr


def test_picture_in_the_documentation_is_the_graphs_own() -> None:
    """What `graph` prints stands in docs/architecture.md; langgraph.json names what is tested."""
    page = Path("docs/architecture.md").read_text(encoding="utf-8")
    drawn = run("graph").stdout

    assert f"```mermaid\n{drawn}```\n" in page
    assert "verify -.-> retrieve;" in drawn
    assert GRAPHS == json.loads(Path("langgraph.json").read_text(encoding="utf-8"))["graphs"]
