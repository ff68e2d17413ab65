"""The benchmark of refusals: order, evidence, calls, scores and tables, without a model."""

import json
from pathlib import Path

import pytest

from benchmarks import refusals, refusals_asking
from benchmarks.questions import Row
from benchmarks.recording import RecordedChat, Recordings
from benchmarks.refusals_asking import WORDINGS, Asked, Chosen, evidence_of, one, ordered
from benchmarks.refusals_scoring import Scored, best_limit, errors_at, left_out, risk_at
from benchmarks.refusals_table import tables
from research_agent.config import load_prompts
from research_agent.types import Completion, ModelCall
from tests.fakes import ScriptedChat


def row(number: int, *, source: str = "web-a", answerable: bool = True) -> Row:
    """Return a row in the format of the data."""
    return {
        "id": f"{source}-{answerable}-{number}",
        "source": source,
        "question": "How large is the key?",
        "passages": ["The key has 1184 bytes.", "The price is 5 euros."],
        "answerable": answerable,
        "answers": ["1184 bytes"] if answerable else [],
    }


def model(*said: str) -> ScriptedChat:
    """Return a model that says this, one reply after another."""
    return ScriptedChat(*(Completion(text, ModelCall("answer")) for text in said))


def example(p: float, *, answerable: bool, source: str = "a", right: bool | None = None) -> Scored:
    """Return a question whose draft is as sure in every wording."""
    return Scored(
        id="x", source=source, answerable=answerable, p=dict.fromkeys(WORDINGS, p), right=right
    )


MIXED = [
    example(p, answerable=answerable, source=source, right=answerable)
    for source in ("a", "b")
    for p, answerable in ((0.9, True), (0.8, True), (0.4, False), (0.2, False))
]


def test_every_prefix_holds_each_source_and_kind() -> None:
    """A run that stops early leaves a sample that can be used."""
    rows = [
        row(i, source=source, answerable=answerable)
        for source, count in (("big", 40), ("small", 4))
        for answerable in (True, False)
        for i in range(count)
    ]
    first = ordered(rows)[:22]

    assert {(one["source"], one["answerable"]) for one in first} == {
        (source, answerable) for source in ("big", "small") for answerable in (True, False)
    }
    assert abs(sum(one["answerable"] for one in first) - 11) <= 1
    assert ordered(rows) == ordered(rows[::-1])


def test_evidence_keeps_the_order_of_the_passages_and_the_product_s_limits() -> None:
    """A passage that is too long for the rest of the evidence is passed over, as in the product."""
    long = {**row(1), "passages": ["First.", "word " * 1600, "Third."]}

    texts = [item.hit.chunk.text for item in evidence_of(long)]

    assert texts == ["First.", "Third."]


def test_a_row_is_drafted_and_checked_over_the_same_beginning(tmp_path: Path) -> None:
    """Each call is recorded, so that it is made once."""
    chat = model("It has 1184 bytes [c1].", "yes", "no", "perhaps")
    kept = Recordings(tmp_path / "kept.jsonl", "1.5b")

    asked = one(row(1), RecordedChat(chat, kept, "1.5b"))
    again = one(row(1), RecordedChat(None, kept, "1.5b"))

    assert asked.draft == again.draft == "It has 1184 bytes [c1]."
    assert len({text.partition("Proposed")[0] for _, text, _ in chat.asked[1:]}) == 1
    assert dict(asked.yes) == dict(again.yes) == {"before": 1.0, "support": 0.0, "correct": None}


def test_what_is_not_recorded_is_left_out(tmp_path: Path) -> None:
    """Without a model nothing is asked."""
    assert refusals_asking.ask([row(1)], tmp_path / "none.jsonl", Chosen()) == []


def test_the_product_s_check_is_one_that_was_measured() -> None:
    """Its text is one of the wordings over the same beginning."""
    text = load_prompts().answerable.text.strip()

    assert text in {
        f"{refusals_asking.BEGINNING}{wording}{refusals_asking.ONE_WORD}"
        for wording in WORDINGS.values()
    }


def test_a_draft_that_refuses_by_its_words_is_refused_at_any_limit() -> None:
    """As in the product, where such a draft is not checked."""
    asked = Asked(
        row=row(1),
        draft="NOT FOUND: the price",
        yes=dict.fromkeys(WORDINGS, 0.9),
        evidence_tokens=9,
        seconds=1.0,
    )

    assert errors_at([refusals.scored(asked)], "support", 0.0).wrongly == 1


def test_a_limit_may_refuse_few_answerable_questions_where_it_is_chosen() -> None:
    """However well it catches the others."""
    rows = [example(0.1, answerable=True)] * 2 + [example(0.9, answerable=True)] * 8
    rows += [example(0.5, answerable=False)] * 10

    assert best_limit(rows, "support") == 0.0


def test_a_source_s_limit_comes_from_the_others() -> None:
    """Its own rows do not count."""
    far = [example(0.1, answerable=True, source="c"), example(0.05, answerable=False, source="c")]

    limit, errors = left_out([*MIXED, *far], "support")["c"]

    assert limit == pytest.approx(0.6)
    assert (errors.wrongly, errors.rightly) == (1, 1)


def test_risk_counts_ties_by_their_share() -> None:
    """The order of rows does not matter."""
    assert risk_at(MIXED, "support", 0.5) == 0.0
    assert risk_at(MIXED[::-1], "support", 0.75) == pytest.approx(1 / 3)


def test_the_tables_hold_both_baselines() -> None:
    """Never refusing and always refusing stand beside each wording."""
    text = tables(MIXED, WORDINGS, (0.5,))

    assert "| never refuse | all |  | 0 of 4 (0% to 49%) | 0 of 4 (0% to 49%) | 0.50 |" in text
    assert "| always refuse | all |  | 4 of 4 (51% to 100%) | 4 of 4" in text


def test_a_file_of_one_s_own_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recordings and results have its name."""
    monkeypatch.setattr(refusals, "RECORDINGS", tmp_path)
    monkeypatch.setattr(refusals, "RESULTS", tmp_path)
    monkeypatch.setattr("benchmarks.keeping.RESULTS", tmp_path)
    rows = [row(i, source=source, answerable=i > 1) for source in "ab" for i in range(4)]
    rows = [{**one, "question": one["id"]} for one in rows]
    file = tmp_path / "mine.jsonl"
    file.write_text("".join(f"{json.dumps(one)}\n" for one in rows), encoding="utf-8")
    kept = Recordings(tmp_path / "mine-1.5b.jsonl", "1.5b")
    for asked in rows:
        word = "yes" if asked["answerable"] else "no"
        chat = model("It has 1184 bytes [c1].", word, word, word)
        one(asked, RecordedChat(chat, kept, "1.5b"))

    text = refusals.run(file, Chosen())

    assert "8 rows" in text
    assert json.loads((tmp_path / "mine.json").read_text())["wordings"]["support"]["limit"] == 0.5
