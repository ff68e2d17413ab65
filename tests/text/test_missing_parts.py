"""What a reply says is missing: the one form, in the ways models set it, and nothing else."""

import json

import pytest

from research_agent.text.missing_parts import Said, read_missing


@pytest.mark.parametrize(
    "line",
    [
        "NOT FOUND: the price",
        "**NOT FOUND:** the price",
        "**NOT FOUND**: the price",
        "**NOT FOUND: the price**",
        "**NOT FOUND: the price** [c1].",
        "`NOT FOUND: the price [c1, c2]`",
        "- NOT FOUND: the price [c1][c2]",
        "2. NOT FOUND: the price (c1)",
        "> NOT FOUND： the price。",  # noqa: RUF001 (full width)
        "  NOT  FOUND : the price  ",
        "```\nNOT FOUND: the price\n```",
    ],
)
def test_a_line_says_what_is_missing(line: str) -> None:
    said = read_missing(line)

    assert said == Said("", ("the price",))
    assert said.is_refusal


def test_the_part_that_the_chunks_hold_stays_as_it_was_written() -> None:
    reply = "Der Preis ist 5 € [c1].\n\nNOT FOUND: das Gewicht\nNOT FOUND: die Farbe [c2]"

    assert read_missing(reply) == Said("Der Preis ist 5 € [c1].", ("das Gewicht", "die Farbe"))
    assert not read_missing(reply).is_refusal
    assert read_missing("NOT FOUND:") == Said("", ("",))  # (it names nothing)
    assert read_missing("**NOT FOUND:** the size of **sk**").missing == ("the size of **sk**",)


@pytest.mark.parametrize(
    ("reply", "text", "missing"),
    [
        ("NOT FOUND:\n- the price\n- the **size** [c1]", "", ("the price", "the **size**")),
        ("It is 5 [c1].\n\n**NOT FOUND:**\n\n1. ink\n2. use", "It is 5 [c1].", ("ink", "use")),
        ("NOT FOUND: ink\n- It is 5 [c1].", "- It is 5 [c1].", ("ink",)),
        ("It is 5 [c1]. NOT FOUND: the price [c1].", "It is 5 [c1].", ("the price",)),
        ("It is 5.[c1] **NOT FOUND:** ink", "It is 5.[c1]", ("ink",)),
        ("```\nFailed. NOT FOUND: no file\n```\nIt ends.", None, ()),
        ("```sh\nrun --all\n```", None, ()),
    ],
)
def test_lists_and_lines_that_go_on(reply: str, text: str | None, missing: tuple[str, ...]) -> None:
    """A list may name what is missing, and the line may be written behind a sentence."""
    assert read_missing(reply) == Said(reply if text is None else text, missing)


@pytest.mark.parametrize(
    "reply",
    [
        "not found in provided docs",
        "Not found in provided docs. [c1]",
        "**NOT FOUND IN PROVIDED DOCS** [c1, c2]",
        '"Not found in provided docs!"',
        "`not_found in provided docs`",
        "**NOT FOUND**",
        '{"answer": null, "missing": ""}',
        '{"answer": "Not found in provided docs."}',
    ],
)
def test_the_fixed_text_alone_is_a_refusal(reply: str) -> None:
    assert read_missing(reply) == Said("", ("",))


@pytest.mark.parametrize(
    "reply",
    [
        "The page is not found: the server replies 404 [c1].",
        "It says `NOT FOUND: no file` [c1].",
        "404 Not Found: no such file [c1].",
        "It is not found in provided docs of the vendor [c1].",
        "Not found in provided docs. The weight is 5 kg [c1].",
        "It prints [c1]:\n```\nNOT FOUND: no file\n```",
        "The chunks do not say what it costs.",
        "",
    ],
)
def test_other_wordings_are_text(reply: str) -> None:
    """The phrase inside a sentence or code is no refusal, and no other wording is read."""
    assert read_missing(reply) == Said(reply)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"answer": "5 kg.", "missing": "the price [c1]."}, Said("5 kg.", ("the price",))),
        ({"answer": "5 kg [c1].", "missing": ""}, Said("5 kg [c1].")),
        ({"answer": None, "missing": "the price"}, Said("", ("the price",))),
        (
            {"answer": "5 kg.", "missing": ["the price", "ink [c1]"]},
            Said("5 kg.", ("the price", "ink")),
        ),
        ({"answer": "5 kg.", "missing": []}, Said("5 kg.")),
        ({"missing": "the price"}, Said("", ("the price",))),
        ({"answer": "not found in provided docs", "missing": "ink"}, Said("", ("ink",))),
        ({"answer": "5 kg [c1].\nNOT FOUND: colour"}, Said("5 kg [c1].", ("colour",))),
    ],
)
def test_a_json_object_is_read(given: object, said: Said) -> None:
    text = json.dumps(given)

    assert read_missing(text) == said
    assert read_missing(f"```json\n{text}\n```") == said


def test_a_long_hostile_line_is_read_quickly() -> None:
    assert read_missing("NOT FOUND: " + "[c1] . " * 20_000 + "x").missing[0].endswith("x")
    assert read_missing("NOT FOUND: x" + " . [c1]" * 20_000).missing == ("x",)
    assert read_missing("*" * 5000 + "not found").missing == ("",)
    assert read_missing("*" * 5000 + "not found it").missing == ()
    assert read_missing("It is 5. " * 5000 + "NOT FOUND: x").missing == ("x",)
