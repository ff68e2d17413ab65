"""Replies as models write them."""

import re

import pytest

from research_agent.planning.filter.verdicts import decision_schema, read_verdicts

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


def test_schema_offers_expansion_only_where_it_brings_something() -> None:
    """In the order of the aliases, each with a verdict and a reason, and nothing else."""
    schema = decision_schema({"k1": [1, 5], "k2": []})

    assert ["k1", "k2"] == schema["required"]
    assert False is schema["additionalProperties"]
    properties = schema["properties"]
    assert isinstance(properties, dict)
    first, second = (re.compile(properties[key]["pattern"]) for key in ("k1", "k2"))
    assert first.fullmatch("EXPAND_5: its table")
    assert not first.fullmatch("EXPAND_3: its table")
    assert second.fullmatch("DISCARD: another product")
    for wrong in ("EXPAND_1: its table", "KEEP", 'KEEP: "x"', f"KEEP: {'word ' * 20}", "MAYBE: x"):
        assert not second.fullmatch(wrong)


WHOLE = (
    '{"k1": {"reason": "states the size", "verdict": "KEEP"}, '
    '"k2": {"verdict": "DISCARD", "reason": "another product"}, '
    '"k3": {"reason": "its table too", "verdict": "EXPAND_3"}}'
)

FLAT = (
    '{"k1": "KEEP states the size", "k2": "discard (another product)", '
    '"K03": "Expand 3: its table too"}'
)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f"Here it is:\n```json\n{WHOLE}\n```",
        WHOLE.replace("{", "{\n  ").replace(", ", ",\n  "),
        f'{{"verdicts": {WHOLE}}}',
        FLAT,
        "k1 -> KEEP: states the size\nk2 -> DISCARD (another product)\nk3: EXPAND_3, its table too",
        "|k1|KEEP|states the size|\n|k2|DISCARD|another product|\n|k3|EXPAND_3|its table too|",
    ],
)
def test_reasons_are_read_with_their_verdicts(text: str) -> None:
    """From one object, whatever stands around it; from texts and from lines."""
    found = read_verdicts(text, ALIASES)

    assert {"k1": "keep", "k2": "discard", "k3": "expand_3"} == dict(found.by_alias)
    assert ["states the size", "another product", "its table too"] == list(found.reasons.values())
    assert (0, 0) == (found.unknown, found.repeated)


@pytest.mark.parametrize("end", range(20, len(WHOLE), 9))
def test_half_an_object_counts_as_far_as_it_goes(end: int) -> None:
    """Only what is said in whole; nothing is guessed."""
    found = dict(read_verdicts(WHOLE[:end], ALIASES).by_alias)

    whole = {"k1": "keep", "k2": "discard", "k3": "expand_3"}
    ends = {"k1": WHOLE.index("}"), "k2": WHOLE.index('}, "k3"'), "k3": len(WHOLE) - 2}
    assert {key: whole[key] for key in whole if ends[key] < end} == found


def test_object_with_invented_and_repeated_keys() -> None:
    """They are counted; an expansion that nobody offers keeps; a verdict nobody knows is none."""
    text = (
        '{"k1": {"verdict": "EXPAND_99"}, "k9": {"verdict": "KEEP"}, "guide-7": {"verdict": '
        '"KEEP"}, "k1": {"verdict": "DISCARD"}, "k2": {"verdict": "MAYBE"}, "note": "KEEP all"}'
    )
    found = read_verdicts(text, ["k1", "k2"])

    assert {"k1": "keep"} == dict(found.by_alias)
    assert (2, 1) == (found.unknown, found.repeated)


def test_nested_beyond_reason_is_no_verdict() -> None:
    """Neither does it take long, nor is a reason longer than what is kept."""
    assert {} == dict(read_verdicts('{"a":' * 20000, ALIASES).by_alias)
    long = read_verdicts(f'{{"k1": {{"reason": "{"word " * 90}", "verdict": "KEEP"}}}}', ["k1"])
    assert 80 >= len(long.reasons["k1"]) > 70


def test_a_number_without_end_is_no_alias() -> None:
    """Python itself refuses to read thousands of digits; the other verdicts count."""
    long = "9" * 5000
    said = read_verdicts(f"k{long} -> KEEP\nk1 -> DISCARD", ["k1"])

    assert {"k1": "discard"} == dict(said.by_alias)
    assert {} == dict(read_verdicts(f"{long}. KEEP", ["k1"]).by_alias)
