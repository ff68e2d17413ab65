"""Replies of the filter's model as models write them."""

import re

import pytest

from research_agent.planning.filter.verdicts import decision_schema, read_verdicts

ALIASES = [f"k{i}" for i in range(1, 9)]
TWO = {"k1": "keep", "k2": "discard"}
WHOLE = (
    '{"k1": {"reason": "states the size", "verdict": "KEEP"}, '
    '"k2": {"verdict": "DISCARD", "reason": "another product"}, '
    '"k3": {"reason": "its table too", "verdict": "EXPAND_3"}}'
)
FLAT = (
    '{"k1": "KEEP states the size", "k2": "discard (another product)", '
    '"K03": "Expand 3: its table too"}'
)


WAYS = (
    "- k1 -> KEEP\n- k2 -> DISCARD",
    "1) `k1` -> `KEEP`\n2) `k2` -> `DISCARD`",
    "**k1** -> **KEEP**\n**k2** → **discard**",
    "K1 => keep\nK2 = Discard",
    "k1 -> KEEP: it gives the size, do not DISCARD it\nk2 -> DISCARD, nothing to KEEP",
    "| chunk | verdict |\n|---|---|\n| k1 | KEEP |\n| k2 | DISCARD |",
    '```json\n{\n  "k1": "KEEP",\n  "k2": "DISCARD"\n}\n```',
    "k01 -> KEEP\nk002 -> DISCARD",
    "<k1> KEEP\n(k2) DISCARD",
    "k1\u2014KEEP\nk2 \u2013 DISCARD",
    "Here are my decisions:\n\nk1 -> KEEP\r\nk2 -> DISCARD\r\nk3 -> ",
)
UNCLEAR = (
    "",
    "I would keep k1 and k3, since they give sizes, and discard k2.",
    "k1 -> MAYBE\nk2 -> \nk3 -> KEEPER",
    "k3 -> KEEP | EXPAND_1 | EXPAND_3 | EXPAND_5 | DISCARD",
    '{"k3": "KEEP | DISCARD"}',
    "k1: either KEEP or DISCARD",
    "->" * 200 + "k" * 200,
    "\n".join(f"k{i} " + " " * 200 + "(" * 50 + "a -> b" for i in range(400)),
    '{"a":' * 20000,
    f"{'9' * 5000}. KEEP",
    f"k{'9' * 5000} -> KEEP",
)
DEPTHS = {
    "EXPAND_1": "expand_1",
    "expand-3": "expand_3",
    "Expand 5": "expand_5",
    "EXPAND_50": "keep",
    "EXPAND": "keep",
}
"""A chunk that was worth expanding is worth keeping."""


@pytest.mark.parametrize(
    ("text", "verdicts", "unknown", "repeated"),
    [
        *((text, TWO, 0, 0) for text in WAYS),
        *((f"k1 -> {verb} (why)", {"k1": depth}, 0, 0) for verb, depth in DEPTHS.items()),
        ("k1 -> KEEP\nk1 -> DISCARD\nk2 -> DISCARD\nk1 -> KEEP", TWO, 0, 2),
        ("k1 -> KEEP\nk99 -> KEEP\nk0 -> DISCARD\nF-203->12 -> KEEP\nk2 -> DISCARD", TWO, 2, 0),
        (
            (
                '{"k1": {"verdict": "EXPAND_99"}, "k9": {"verdict": "KEEP"}, "guide-7": {"verdict":'
                ' "KEEP"}, "k1": {"verdict": "DISCARD"}, "k2": {"verdict": "MAYBE"}, "note": ""}'
            ),
            {"k1": "keep"},
            2,
            1,
        ),
    ],
)
def test_verdicts_are_read_and_invented_and_repeated_ones_counted(
    text: str, verdicts: dict[str, str], unknown: int, repeated: int
) -> None:
    found = read_verdicts(text, ALIASES)

    assert (verdicts, unknown, repeated) == (dict(found.by_alias), found.unknown, found.repeated)


@pytest.mark.parametrize("text", UNCLEAR, ids=lambda text: text[:30])
def test_prose_is_no_verdict(text: str) -> None:
    """What is not said clearly is undecided, and nonsense costs no time."""
    assert {} == dict(read_verdicts(text, ALIASES).by_alias)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f'Here it is:\n```json\n{{"verdicts": {WHOLE}}}\n```',
        FLAT,
        "k1 -> KEEP: states the size\nk2 -> DISCARD (another product)\nk3: EXPAND_3, its table too",
        "|k1|KEEP|states the size|\n|k2|DISCARD|another product|\n|k3|EXPAND_3|its table too|",
    ],
)
def test_reasons_are_read_with_their_verdicts(text: str) -> None:
    found = read_verdicts(text, ALIASES)

    assert {"k1": "keep", "k2": "discard", "k3": "expand_3"} == dict(found.by_alias)
    assert ["states the size", "another product", "its table too"] == list(found.reasons.values())


def test_half_an_object_counts_as_far_as_it_goes() -> None:
    ends = {"k1": WHOLE.index("}"), "k2": WHOLE.index('}, "k3"'), "k3": len(WHOLE) - 2}
    for end in range(20, len(WHOLE), 9):
        found = read_verdicts(WHOLE[:end], ALIASES).by_alias
        assert [key for key in ends if ends[key] < end] == list(found)
    long = read_verdicts(f'{{"k1": {{"reason": "{"word " * 90}", "verdict": "KEEP"}}}}', ["k1"])
    assert 80 >= len(long.reasons["k1"]) > 70


def test_schema_offers_expansion_only_where_it_brings_something() -> None:
    schema = decision_schema({"k1": [1, 5], "k2": []})
    properties = schema["properties"]

    assert (["k1", "k2"], False) == (schema["required"], schema["additionalProperties"])
    assert isinstance(properties, dict)
    first, second = (re.compile(properties[key]["pattern"]) for key in ("k1", "k2"))
    assert first.fullmatch("EXPAND_5: its table")
    assert not first.fullmatch("EXPAND_3: its table")
    assert second.fullmatch("DISCARD: another product")
    for wrong in ("EXPAND_1: its table", "KEEP", 'KEEP: "x"', f"KEEP: {'word ' * 20}", "MAYBE: x"):
        assert not second.fullmatch(wrong)
