"""Answers of the product on NIST: what is kept of one, and its quotes."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import answers
from benchmarks.answers import kept, quotes, row_of
from benchmarks.common import Asking
from research_agent.config import load_prompts
from research_agent.interfaces.agent import ResearchAgent
from research_agent.settings import Settings
from tests.fakes import GOOD, QUESTION, ScriptedChat, ports, says

KEY = {
    "qid": "q1",
    "question": QUESTION,
    "answerable": True,
    "accepted_pages": [{"doc_id": "guide", "page": 1}],
    "needed": "any",
    "required_facts": [["1184"]],
    "forbidden_facts": [],
}


def test_sentences_with_valid_quotes_are_counted() -> None:
    """A quote is valid where it is at its place; moved it is not; a refusal has none."""
    with ResearchAgent(ports(ScriptedChat(says(GOOD))), Settings(), load_prompts()) as agent:
        result = agent.ask(QUESTION)
    claim = result.claims[0]
    moved = replace(claim, quotes=tuple(replace(quote, start=1) for quote in claim.quotes))
    fields = row_of(KEY, result, 1.5)

    assert (1, 1, 1.5) == (fields["sentences"], fields["quoted"], fields["model_seconds"])
    assert {"sentences": 1, "quoted": 0} == quotes(replace(result, claims=(moved,)))
    assert {"sentences": 0, "quoted": 0} == quotes(replace(result, status="refused"))


def test_a_run_takes_the_place_of_one_with_no_more_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not of a larger one, not for the first questions, and from recordings only as a whole."""
    monkeypatch.setattr(answers, "RESULTS", tmp_path)
    keys = [KEY, KEY]
    live, replayed = Asking(live=True), Asking()

    assert not kept(replayed, [KEY], keys)
    assert not kept(replace(live, limit=2), keys, keys)
    assert kept(live, [KEY], keys)
    assert kept(replayed, keys, keys)
    assert not kept(live, [KEY], keys)
    assert 2 == len((tmp_path / "answers-1.5b-default.jsonl").read_text("utf-8").splitlines())
