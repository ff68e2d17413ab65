"""The command line on real files with the real embedder and a scripted model."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from research_agent.interfaces.cli.main import main
from tests.interfaces.commands import GUIDE, Model, in_a_process, printed, run, served
from tests.loopback import Json, Raw, error_reply

pytestmark = pytest.mark.usefixtures("data_home")
QUESTION = "At how many degrees is bread baked?"
HEAVY = ("chromadb", "langchain_core", "langchain_openai", "langgraph", "numpy", "onnxruntime")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text(GUIDE, encoding="utf-8")
    return folder


def test_help_imports_nothing_heavy() -> None:
    """The command line itself needs click alone; this is what keeps --help quick."""
    main = "research_agent.interfaces.cli.main"
    script = f"import sys, {main}; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )

    assert "[]" == done.stdout.strip()


def test_help_is_quick(tmp_path: Path) -> None:
    """The best of five runs stays under 0.3 s."""
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        assert 0 == in_a_process("--help", folder=tmp_path).returncode
        seconds.append(time.perf_counter() - started)

    assert min(seconds) < 0.3


def test_ask_indexes_and_answers_with_a_citation(docs: Path, tmp_path: Path) -> None:
    """The main job: documents in, a cited answer out, steps on stderr."""
    with served(Model(), tmp_path) as config:
        result = run("ask", QUESTION, "--docs", str(docs), "--config", config)

    assert 0 == result.exit_code, result.output
    assert result.stdout.startswith("Bread is baked at 230 degrees [c1].\n")
    assert "[c1] guide, section Bread" in result.stdout
    assert '"Bread is baked at 230 degrees."' in result.stdout
    for step in ("retrieve: searched", "assess: confidence", "select_evidence:", "verify: 1 of 1"):
        assert step in result.stderr
    assert "\x1b" not in result.output


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_scope_narrows_or_is_told(command: str, docs: Path, tmp_path: Path) -> None:
    """Only documents that the option names are read; one that names none ends the command."""
    (docs / "rolls.md").write_text("# Rolls\n\nRolls are baked at 210 degrees.\n", encoding="utf-8")
    model = Model()
    with served(model, tmp_path) as config:
        given = ("--docs", str(docs), "--config", config)
        asked = (command, QUESTION) if command == "ask" else (command,)
        result = CliRunner().invoke(main, [*asked, *given, "--in", "rol*.md"], input=QUESTION)
        read = "".join(text for text in model.asked if "source=" in text)
        wrong = run(*asked, *given, "--in", "role")
        late = run(*asked, *given, "--since", "tomorrow")

    assert 0 == result.exit_code, result.output
    assert 'source="rolls' in read
    assert 'source="guide' not in read
    assert (2, 2) == (wrong.exit_code, late.exit_code)
    assert "error: no document fits 'role'\nhint: The nearest: 'rolls'." in wrong.stderr
    assert "error: 'tomorrow' is no date" in late.stderr


def test_ask_json_is_the_whole_result(docs: Path, tmp_path: Path) -> None:
    """The same object as at every other door, alone on stdout."""
    with served(Model(), tmp_path) as config:
        result = printed(run("ask", QUESTION, "--docs", str(docs), "--config", config, "--json"))

    assert ("answered", "confident") == (result["status"], result["stop_reason"])
    assert "guide" == result["citations"][0]["doc_id"]
    assert GUIDE.splitlines()[2].split(". ")[0] in result["citations"][0]["quote"]
    assert result["uncertainty"]["mean_entropy"] is not None
    assert {"answer": "scripted", "verifier": "scripted"}.items() <= result["models"].items()
    assert result["usage"]["llm_calls"] >= 2


def test_ask_refuses_with_the_contract_text(docs: Path, tmp_path: Path) -> None:
    """A refusal is a result: status 0, the exact text, no citation."""
    with served(Model(verdict="no"), tmp_path) as config:
        result = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")

    assert (0, "not found in provided docs\n") == (result.exit_code, result.stdout)
    assert f"Searched '{QUESTION}' in 1 document (" in result.stderr
    assert "nearest: guide, section Bread. " in result.stderr


def test_ask_names_its_preset_first(docs: Path, tmp_path: Path) -> None:
    """The one that is chosen, also where a file says another; the next command has its own."""
    with served(Model(), tmp_path) as config:
        asked = ("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")
        results = [run(*asked, "--preset", name) for name in ("local", "big")]
        auto = run(*asked, "--preset", "auto", "--json")

    assert results[0].stderr.startswith("preset local\n")
    assert 2 == results[1].exit_code
    assert "error: there is no preset 'big'\nhint: Presets: auto, local, full, seed\n" == (
        results[1].stderr
    )
    assert auto.stderr.startswith("preset full (auto: openai)")
    assert "full" == json.loads(auto.stdout)["preset"]


def test_ask_takes_rounds_up_to_the_ceiling(docs: Path, tmp_path: Path) -> None:
    """A refusal is searched for once more, or is not; more than the ceiling is an error."""
    with served(Model(verdict="no"), tmp_path) as config:
        asked = ("ask", QUESTION, "--docs", str(docs), "--config", config, "--json")
        once, twice, more = (run(*asked, "--rounds", n) for n in ("1", "2", "4"))

    assert "refused" == printed(once)["stop_reason"]
    assert ["refused"] == [one["reason"] for one in printed(twice)["trend"]][:1]
    assert (1, 2) == (printed(once)["rounds"], printed(twice)["rounds"])
    assert "must not be larger than budget.max_rounds (3)" in more.stderr


def test_draft_that_nothing_supports_has_a_notice_first(docs: Path, tmp_path: Path) -> None:
    """It is no refusal: the nearest passage is named, and the draft stands below with its mark."""
    with served(Model(answer="Zebras bake cakes [c1]."), tmp_path) as config:
        result = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")

    notice, _, draft, *_ = result.stdout.splitlines()
    assert 0 == result.exit_code
    assert notice.startswith("Nothing in this answer could be confirmed. The nearest passage is [c")
    assert draft.endswith("[unconfirmed].")
    assert "unconfirmed (no_new_evidence)" in result.stderr


def test_draft_that_the_documents_contradict_is_refused(docs: Path, tmp_path: Path) -> None:
    """It is not shown, not even below the refusal."""
    with served(Model(answer="Bread is baked at 999 degrees [c1]."), tmp_path) as config:
        result = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")

    assert (0, "not found in provided docs\n") == (result.exit_code, result.stdout)


def test_json_is_json_whatever_a_document_holds(docs: Path) -> None:
    """Invisible characters and control characters of a page are escaped as JSON does."""
    text = "<p>Ver&shy;schl\u00fcsselung \u009b \U000e0067 \u202e key</p>"
    (docs / "odd.html").write_text(text, encoding="utf-8")
    run("index", str(docs), "--index", "mine")
    hits = printed(run("search", "key", "--index", "mine", "--json"))["hits"]

    assert any("schl\u00fcsselung" in hit["text"] for hit in hits)


def test_docs_and_index_exclude_each_other(docs: Path) -> None:
    """Both name what is asked; neither is silently ignored."""
    assert 2 == run("ask", QUESTION, "--docs", str(docs), "--index", "mine").exit_code


def test_ask_shows_evidence_and_prompts(docs: Path, tmp_path: Path) -> None:
    """What the model reads can be read by people."""
    with served(Model(), tmp_path) as config:
        arguments = ("--docs", str(docs), "--config", config, "--show-evidence", "--show-prompt")
        result = run("ask", QUESTION, *arguments)

    assert "--- [c1] guide, section Bread" in result.stdout
    assert "--- to answer (system):" in result.stderr
    assert f"Question: {QUESTION}" in result.stderr


def test_second_ask_embeds_nothing_again(docs: Path, tmp_path: Path) -> None:
    """The index that --docs keeps is found again."""
    with served(Model(), tmp_path) as config:
        run("ask", QUESTION, "--docs", str(docs), "--config", config)
        again = run("ask", QUESTION, "--docs", str(docs), "--config", config)

    assert "0 files changed" in again.stderr


def test_search_json_has_the_promised_fields(docs: Path) -> None:
    """Rank, scores, place, id and text of each hit."""
    run("index", str(docs), "--index", "mine")
    hits = printed(run("search", "rye in the oven", "--index", "mine", "-k", "1", "--json"))["hits"]

    assert 1 == len(hits)
    assert [
        *("rank", "score", "similarity", "doc_id", "start_page", "end_page"),
        *("chunk_id", "section", "text"),
    ] == list(hits[0])
    assert (1, "guide", ["Bread", "Rye"]) == (
        hits[0]["rank"],
        hits[0]["doc_id"],
        hits[0]["section"],
    )


def test_index_is_listed_and_removed(docs: Path) -> None:
    """A named index appears in the list; removing it leaves the documents."""
    assert "no index yet" in run("index", "--list").stdout
    assert "1 indexed" in run("index", str(docs), "--index", "mine").stdout
    assert "mine: 1 documents" in run("index", "--list").stdout
    assert "1 unchanged" in run("index", str(docs), "--index", "mine").stdout
    assert 0 == run("index", "--remove", "mine").exit_code
    assert "no index yet" in run("index", "--list").stdout
    assert (docs / "guide.md").exists()


def test_bad_files_are_told_and_the_rest_is_indexed(docs: Path) -> None:
    """One line a file with its reason; the exit status says that not all went well."""
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (docs / "binary.txt").write_bytes(bytes(range(256)) * 40)
    (docs / "long.txt").write_text("word " * 80_000, encoding="utf-8")
    (docs / "latin.txt").write_bytes("Das Brot wird bei großer Hitze gebacken.".encode("latin-1"))
    (docs / "wide.txt").write_text("Bread in UTF-16, with a mark.", encoding="utf-16")
    result = run("index", str(docs))

    assert 3 == result.exit_code, result.output
    failed = [line for line in result.stdout.splitlines() if line.startswith("failed:")]
    assert ["binary.txt", "broken.pdf"] == sorted(Path(line.split(": ")[1]).name for line in failed)
    assert "4 indexed, 2 failed" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message", "hint"),
    [
        (("ask", "what?"), 1, "index", "research-agent index"),
        (("search", "what"), 1, "index", "research-agent index"),
        (("index", "nowhere"), 1, "nowhere", ""),
        (("index", "."), 1, "nothing to index", "folder"),
        (("index",), 2, "name at least one", ""),
        (("ask", "  "), 2, "empty", "ask"),
        (("ask", "x" * 100_000), 2, "100,000 characters", "Index"),
        (("ask", "what?", "--config", "no.yaml"), 2, "no.yaml", "config init"),
        (("index", "--remove", "nothing"), 1, "nothing", "--list"),
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
    result = run(*arguments)

    assert (status, "") == (result.exit_code, result.stdout)
    assert message.lower() in result.stderr.lower()
    assert hint in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Model(error=error_reply(500, "broken")), "hint:"),
        (Model(error=error_reply(401, "no")), "api_key_env"),
        (Model(answer=""), "hint:"),
    ],
)
def test_model_that_fails_is_no_answer(
    model: Model, message: str, docs: Path, tmp_path: Path
) -> None:
    """An error with a hint and status 1; nothing is printed as an answer."""
    with served(model, tmp_path) as config:
        result = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")

    assert (1, "") == (result.exit_code, result.stdout)
    assert "error: " in result.stderr
    assert message in result.stderr


def test_model_that_is_down(docs: Path, tmp_path: Path) -> None:
    """Nobody listens at the address: the error names it."""
    with served(Model(), tmp_path) as config:
        pass
    result = run("ask", QUESTION, "--docs", str(docs), "--config", config, "--quiet")

    assert (1, "") == (result.exit_code, result.stdout)
    assert "127.0.0.1" in result.stderr


def test_question_in_another_language_is_passed_on(docs: Path, tmp_path: Path) -> None:
    """Neither Indonesian nor Chinese is refused at the door."""
    model = Model(verdict="no")
    with served(model, tmp_path) as config:
        for question in ("Berapa lama roti dipanggang?", "面包要烤多久"):
            result = run("ask", question, "--docs", str(docs), "--config", config, "--quiet")
            assert 0 == result.exit_code
            assert any(question in asked for asked in model.asked)


def test_folder_without_documents_is_told(docs: Path) -> None:
    """Files that nothing can read are named, and the status is not that of a success."""
    (docs / "guide.md").rename(docs / "guide.xyz")
    result = run("index", str(docs))

    assert 3 == result.exit_code
    assert "guide.xyz" in result.stdout
    assert "no document was indexed" in result.stdout


def test_config_is_shown_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The written file is the commented defaults, is read from this folder, and is not lost."""
    monkeypatch.chdir(tmp_path)
    assert 0 == run("config", "init").exit_code
    text = Path("research-agent.yaml").read_text(encoding="utf-8")
    changed = text.replace("top_k: 30", "top_k: 31")
    Path("research-agent.yaml").write_text(changed, encoding="utf-8")

    assert "retrieval.top_k: 31  # default 30" in run("config", "show").stdout
    assert (2, "") == (run("config", "init").exit_code, run("config", "init").stdout)
    assert changed == Path("research-agent.yaml").read_text(encoding="utf-8")


def test_models_says_what_fills_each_role(tmp_path: Path) -> None:
    """Every role with its provider; a role that cannot be used gives status 1."""
    with served(Model(), tmp_path) as config:
        result = run("models", "--config", config)
    broken = tmp_path / "broken.yaml"
    broken.write_text("models: {local: {path: /nowhere.gguf}}", encoding="utf-8")

    assert "answer: openai scripted [ready]" in result.stdout
    assert "embedding: local" in result.stdout
    assert 1 == run("models", "--config", str(broken)).exit_code


def test_version_is_that_of_the_package() -> None:
    """The version stands in pyproject.toml alone."""
    assert "0.1.0" in run("--version").stdout


def test_a_report_that_cannot_be_written_takes_no_answer_back(docs: Path, tmp_path: Path) -> None:
    """A folder comes to stand at its place meanwhile: exit status 4, and the answer is there."""
    report = tmp_path / "answer.html"

    class Blocking(Model):
        def reply(self, request: Json) -> Json | Raw:
            report.mkdir(exist_ok=True)
            return super().reply(request)

    with served(Blocking(), tmp_path) as config:
        given = ("--docs", str(docs), "--config", config, "--report", str(report))
        result = run("ask", QUESTION, *given)

    assert 4 == result.exit_code
    assert "Bread is baked at 230 degrees [c1]." in result.stdout
    assert "no report was written: " in result.stderr
