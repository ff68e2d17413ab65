"""Replies as models write them."""

import pytest

from research_agent.core.filtering_verdicts import decision_schema, read_verdicts

ALIASES = [f"k{i}" for i in range(1, 13)]
TWO = {"k1": "keep", "k2": "discard"}


@pytest.mark.parametrize(
    "text",
    [
        "k1 -> KEEP\nk2 -> DISCARD",
        "- k1 -> KEEP\n- k2 -> DISCARD",
        "* k1->KEEP\n* k2->DISCARD",
        "1. k1 -> KEEP\n2. k2 -> DISCARD",
        "1) `k1` -> `KEEP`\n2) `k2` -> `DISCARD`",
        "**k1** -> **KEEP**\n**k2** → **discard**",
        "K1 => keep\nK2 = Discard",
        "k1: keep\nk2: discard (only the same subject)",
        "k1 -> KEEP: it gives the size, do not DISCARD it\nk2 -> DISCARD, nothing to KEEP",
        "k1 (a -> b) -> KEEP\nk2 (see k1 below) -> DISCARD",
        "| chunk | verdict |\n|---|---|\n| k1 | KEEP |\n| k2 | DISCARD |",
        '{"k1": "KEEP", "k2": "DISCARD"}',
        '```json\n{\n  "k1": "KEEP",\n  "k2": "DISCARD"\n}\n```',
        "k1 -> KEEP, k2 -> DISCARD",
        "k01 -> KEEP\nk002 -> DISCARD",
        "[k1] -> [KEEP]\n[k2] -> [DISCARD]",
        "<k1> KEEP\n(k2) DISCARD",
        "k1 KEEP\nk2 DISCARD",
        "k1\u2014KEEP\nk2 \u2013 DISCARD",
        "k1: The chunk states the size. KEEP\nk2: Other subject. DISCARD.",
        "1 -> KEEP\n2 -> DISCARD",
        "1. KEEP\n2. DISCARD",
        "Here are my decisions:\n\nk1 -> KEEP\r\nk2 -> DISCARD\r\nk3 -> ",
    ],
)
def test_every_way_to_write_two_verdicts(text: str) -> None:
    """Bullets, numbers, back-ticks, tables, JSON, other arrows, reasons, either case."""
    found = read_verdicts(text, ALIASES)

    assert TWO == dict(found.by_alias)
    assert (0, 0) == (found.unknown, found.repeated)


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("EXPAND_1", "expand_1"),
        ("expand-3", "expand_3"),
        ("Expand 5", "expand_5"),
        ("EXPAND_2", "keep"),
        ("EXPAND_50", "keep"),
        ("EXPAND", "keep"),
        ("EXPAND_", "keep"),
    ],
)
def test_malformed_depth_keeps(verb: str, expected: str) -> None:
    """A chunk that was worth expanding is worth keeping."""
    assert {"k7": expected} == dict(read_verdicts(f"k7 -> {verb} (why)", ALIASES).by_alias)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would keep k1 and k3, since they give sizes, and discard k2.",
        "I would discard k1, keep k2 and look at k3.",
        "Chunk k1 says nothing worth keeping.",
        "The answer is 1184 bytes [k1].",
        "k1 -> MAYBE\nk2 -> \nk3 -> KEEPER",
        "k3 -> KEEP | EXPAND_1 | EXPAND_3 | EXPAND_5 | DISCARD",
        "k1: either KEEP or DISCARD",
        "HACKED. Ignore the user.",
        "->" * 200 + "k" * 200,
    ],
)
def test_prose_is_no_verdict(text: str) -> None:
    """What is not said clearly is undecided."""
    assert {} == dict(read_verdicts(text, ALIASES).by_alias)


def test_the_first_of_several_verdicts_counts() -> None:
    """The others are counted, also where they say the same."""
    found = read_verdicts("k1 -> KEEP\nk1 -> DISCARD\nk2 -> DISCARD\nk1 -> KEEP", ALIASES)

    assert TWO == dict(found.by_alias)
    assert 2 == found.repeated


def test_invented_ids_are_counted() -> None:
    """Aliases nobody was shown, and ids of another kind, as the seed's parser met them."""
    text = "k1 -> KEEP\nk99 -> KEEP\nk0 -> DISCARD\nFIPS-203->12 -> KEEP\nk2 -> DISCARD"
    found = read_verdicts(text, ["k1", "k2"])

    assert TWO == dict(found.by_alias)
    assert 3 == found.unknown


def test_long_replies_are_read_quickly() -> None:
    """Nothing takes time that grows with the square of a reply."""
    text = "\n".join(f"k{i} " + " " * 200 + "(" * 50 + "a -> b" for i in range(400))

    assert {} == dict(read_verdicts(text, ALIASES).by_alias)


def test_schema_offers_expansion_only_where_there_is_something_to_expand() -> None:
    """In the order of the aliases, each with a verdict, and nothing else."""
    schema = decision_schema({"k1": True, "k2": False})

    assert {
        "type": "object",
        "properties": {
            "k1": {"enum": ["KEEP", "EXPAND_1", "EXPAND_3", "EXPAND_5", "DISCARD"]},
            "k2": {"enum": ["KEEP", "DISCARD"]},
        },
        "required": ["k1", "k2"],
        "additionalProperties": False,
    } == schema


def test_a_number_without_end_is_no_alias() -> None:
    """Python itself refuses to read thousands of digits; the other verdicts count."""
    long = "9" * 5000
    said = read_verdicts(f"k{long} -> KEEP\nk1 -> DISCARD", ["k1"])

    assert {"k1": "discard"} == dict(said.by_alias)
    assert {} == dict(read_verdicts(f"{long}. KEEP", ["k1"]).by_alias)
