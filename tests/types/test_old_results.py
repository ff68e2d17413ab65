"""Results, drafts and checks that were kept by earlier versions."""

import pytest

from research_agent.types.old_results import upgraded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("misattributed", "supported"),
        ("stitched", "supported"),
        ("unsupported", "unconfirmed"),
        ("contradicted", "contradicted"),
    ],
)
def test_verdicts_have_their_names_of_today(old: str, new: str) -> None:
    claim = {"text": "It rains.", "verdict": old, "keys": ["c1"]}
    [found] = upgraded({"question": "?", "claims": (claim,)})["claims"]

    assert claim | {"verdict": new} == {name: found[name] for name in claim}
    assert (old == "misattributed") == found.get("rekeyed", False)
    assert old == claim["verdict"]


@pytest.mark.parametrize("old", ["unsupported", "lacking"])
def test_reasons_have_their_names_of_today(old: str) -> None:
    kept = {"decision": "again", "reason": old, "refused": "unsupported_draft"}

    assert {**kept, "reason": "unconfirmed"} == upgraded(kept)


def test_record_of_a_filter_that_asked_hit_by_hit() -> None:
    rows = [{"chunk_id": "a", "why": "model"}, {"chunk_id": "b", "why": "not_asked"}]
    found = upgraded({"filter_stats": {"mode": "pointwise", "kept": 2, "decisions": rows}})

    assert {"mode": "llm", "kept": 2} == {k: found["filter_stats"][k] for k in ("mode", "kept")}
    assert ["model", "rank"] == [row["why"] for row in found["filter_stats"]["decisions"]]


@pytest.mark.parametrize(
    "value",
    [
        *(None, 5, "unsupported", [], {}, {"claims": None}, {"claims": [None, 5, {}]}),
        *({"reason": []}, {"claims": [{"verdict": []}]}),
    ],
)
def test_anything_else_stays(value: object) -> None:
    assert value == upgraded(value)
