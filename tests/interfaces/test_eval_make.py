"""`eval make` and `ablate` as commands: over an index, with a model behind a loopback server."""

import csv
import json
import re
from pathlib import Path

import pytest

from research_agent.config import configured
from tests.interfaces.commands import THINGS, Model, index_of, run, served
from tests.loopback import Json, Raw, text_reply

SCRIPT = "<script>alert(1)</script>"


def text_about(thing: str, at: int) -> str:
    rest = (
        f"Since the year of the long flood it is kept {SCRIPT} in the cellar below the mill. " * 2
    )
    return f"# {thing}\n\n{thing} is stored at {at + 11} degrees for {at + 40} days. {rest}"


class Author(Model):
    """Writes a question about the passage it is shown, and answers from the first chunk."""

    def reply(self, request: Json) -> Json | Raw:
        text = request["messages"][-1]["content"]
        self.asked.append(text)
        if request["max_tokens"] == 1:
            return super().reply(request)
        if found := re.search(r"(\w+) is stored at (\d+) degrees for (\d+) days", text):
            thing, degrees, _ = found.groups()
            if "Write one question" not in text:
                return text_reply(f"{found[0]} [c1].")
            made = {"question": f"=How warm is the {thing} kept?", "answer": f"{degrees} degrees."}
            quote = {"quotes": [f"{thing} is stored at {degrees} degrees"], "facts": [degrees]}
            return text_reply(json.dumps(made | quote))
        return text_reply(self.plan)


store = index_of({f"{one}.md": text_about(one, at) for at, one in enumerate(THINGS)})


@pytest.fixture
def at_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESEARCH_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RESEARCH_AGENT_MODELS__REPLY_CACHE__MODE", "on")
    monkeypatch.chdir(tmp_path)
    rows = [asked(thing, at) for at, thing in enumerate(THINGS[:2])]
    Path("own.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


def asked(thing: str, at: int) -> Json:
    gold = {"doc_id": thing, "quote": f"{thing} is stored at {at + 11} degrees"}
    return {"question": f"How warm is {thing} kept?", "gold": [gold], "required_facts": [["11"]]}


def test_made_questions_are_reviewed_as_a_table_and_evaluated(at_store: Path) -> None:
    model = Author()
    with served(model, at_store) as config:
        make = ("eval", "make", "--questions", "4", "--config", config)
        dry = run(*make, "--dry-run")
        assert (0, []) == (dry.exit_code, model.asked)
        assert "4 questions from 10 passages, written and checked by scripted: about" in dry.stderr

        done, calls = run(*make), len(model.asked)
        again = run(*make, "--force")
        assert (0, 0, calls) == (done.exit_code, again.exit_code, len(model.asked)), done.output

    rows = [json.loads(line) for line in Path("questions.jsonl").read_text("utf-8").splitlines()]
    page, table = (Path(f"questions.{end}").read_text("utf-8-sig") for end in ("html", "csv"))
    cells = list(csv.reader(table.splitlines()))
    Path("edited.csv").write_text("\n".join(";".join(cells[at]) for at in (0, 2, 3, 4)), "utf-8")
    told = run("eval", "edited.csv", "--retrieval-only", "--json")

    assert ["made-001", "made-002", "made-003", "made-004"] == [row["qid"] for row in rows]
    assert all(row["gold"][0]["doc_id"] in row["question"] for row in rows)
    assert rows[0]["question"] in page
    assert "<script" not in page
    assert all(row[3].startswith("'=How") for row in cells[1:])
    assert 3 == json.loads(told.stdout)["questions"], told.output


def test_stages_are_compared_and_what_does_not_pay_is_left_out(at_store: Path) -> None:
    with served(Author(), at_store) as config:
        ablate = ("ablate", "own.jsonl", "--config", config, "--set", "search.mode=tool_calling")
        found = run(*ablate, "-o", "kept.yaml")
    assert not found.exit_code, found.output

    assert "| as it is |  | 0.500 |" in found.stdout, found.output
    assert "Taken together: search.mode: planned; +0.000" in found.stdout
    assert re.search(r"\| judge \| off \| \+0.000 \(\+0.000 to \+0.000\) \|", found.stdout)
    assert "2 questions were compared; 60 would show every gain of 0.05." in found.stdout
    kept = configured("kept.yaml", {}).settings
    own = kept.models
    assert ("scripted", "on", "local") == (own.chat.model, own.reply_cache.mode, kept.preset)
    assert ("planned", "check") == (kept.search.mode, kept.answer.refusal)


def test_presets_and_searches_are_compared_and_a_lost_passage_is_told(at_store: Path) -> None:
    """The same command again goes on where it was: it asks nothing, and says the same."""
    found, model = run("ablate", "own.jsonl", "--retrieval-only"), Author()
    with served(model, at_store) as config:
        ablate = ("ablate", "own.jsonl", "--presets", "--limit", "1", "--config", config)
        presets, calls = run(*ablate), len(model.asked)
        assert (presets.stdout, calls) == (run(*ablate).stdout, len(model.asked))
        row = {"question": "How warm is rye?", "answerable": False, "left_out": ["gone"]}
        Path("wrong.jsonl").write_text(json.dumps(row), "utf-8")
        refused = run("eval", "wrong.jsonl", "--config", config)

    assert (0, 0) == (found.exit_code, presets.exit_code), found.output + presets.output
    assert "| word search | on |" in found.stdout
    assert "| preset seed | off |" in presets.stdout
    assert 2 == refused.exit_code
    assert "line 1: a passage that is left out is not in the index any more" in refused.stderr


def test_nothing_is_made_of_nothing_or_over_a_file(at_store: Path) -> None:
    Path("questions.jsonl").touch()
    there = run("eval", "make")
    Path("kept.csv").write_text("my own words", "utf-8")
    given = ("eval", "make", "-o")
    for done in (run(*given, "kept.csv"), run(*given, "kept.jsonl"), run(*given, "a.html")):
        assert done.exit_code, done.output
    over = run("ablate", "own.jsonl", "--retrieval-only", "-o", "kept.csv")
    assert (1, "my own words") == (over.exit_code, Path("kept.csv").read_text("utf-8"))
    nonsense = Author(verdict="no")
    with served(nonsense, at_store) as config:
        none = run("eval", "make", "--config", config, "--questions", "2", "-o", "new.jsonl")
    no_index = run("eval", "make", "--index", "none", "-o", "new.jsonl")

    assert (1, 1, 1) == (there.exit_code, none.exit_code, no_index.exit_code)
    assert "questions.jsonl is there already" in there.stderr
    assert "the model says that its passage does not answer it" in none.stderr
    assert not list(at_store.glob("new*"))
