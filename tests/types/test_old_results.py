"""Results, drafts and checks that were kept by earlier versions."""

import pytest

from research_agent.types.old_results import upgraded


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("misattributed", "supported"),
        ("stitched", "supported"),
        ("unsupported", "unconfirmed"),
        ("supported", "supported"),
        ("contradicted", "contradicted"),
    ],
)
def test_verdicts_have_their_names_of_today(old: str, new: str) -> None:
    """All else of a claim stays, and what was given is not changed."""
    kept = {"question": "?", "claims": ({"text": "It rains.", "verdict": old, "keys": ["c1"]},)}

    [claim] = upgraded(kept)["claims"]
    assert {"text": "It rains.", "verdict": new, "keys": ["c1"]}.items() <= claim.items()
    assert (old == "misattributed") == claim.get("rekeyed", False)
    assert old == kept["claims"][0]["verdict"]  # type: ignore[index]  # (JSON)


@pytest.mark.parametrize("old", ["unsupported", "lacking"])
def test_reasons_have_their_names_of_today(old: str) -> None:
    """Those that led to another round; the reason of a refusal has its own."""
    kept = {"decision": "again", "reason": old, "refused": "unsupported_draft"}

    assert {**kept, "reason": "unconfirmed"} == upgraded(kept)


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "unsupported",
        [],
        {},
        {"claims": None},
        {"claims": [None, 5, {}]},
        {"reason": []},
        {"claims": [{"verdict": []}]},
    ],
)
def test_anything_else_stays(value: object) -> None:
    """Also what is damaged: whoever reads it says so."""
    assert value == upgraded(value)
