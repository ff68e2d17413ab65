"""Questions for pruning: gold chunks, near noise and far noise, in the order of the search."""

from dataclasses import replace

import pytest

from benchmarks import pruning
from benchmarks.pruning import WAYS, cases, pruned
from tests.fakes import TEXTS, ScriptedChat, chunk, ports, says


def test_a_case_has_gold_and_noise_and_is_pruned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each chunk once; what is kept or left out has a reason."""
    chunks = tuple(chunk(text, number) for number, text in enumerate(TEXTS))
    by_document = {f"d{n}": (replace(one, doc_id=f"d{n}"),) for n, one in enumerate(chunks)}
    model = ScriptedChat(says("It has 1184 bytes [c1]."))
    given = replace(ports(model), contents=lambda doc_id: by_document.get(doc_id, ()))
    keys = [
        {"qid": "a", "question": "How many bytes has a key?", "supporting_ids": ["d0"]},
        {"qid": "b", "question": "What else is there?", "supporting_ids": ["d1"]},
        {"qid": "c", "question": "Who is not there?", "supporting_ids": ["none"]},
    ]
    monkeypatch.setattr(pruning, "read", lambda _: keys)
    found = list(cases("hotpotqa", given))

    assert ["a", "b"] == [case.qid for case in found]
    ids = [hit.chunk.chunk_id for hit in found[0].hits]
    assert len(ids) == len(set(ids))
    assert {chunks[0].chunk_id, chunks[1].chunk_id} <= set(ids)
    stats = pruned(found[0], WAYS["ratio, by similarity"], given)
    assert {hit.chunk.chunk_id for hit in found[0].hits} == {d.chunk_id for d in stats.decisions}
    assert all(decision.why for decision in stats.decisions)
