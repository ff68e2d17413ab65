"""Sentences, in running text, lists, headings and answers with citations."""

import pytest

from research_agent.text.sentences import sentence_spans


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["See Fig. 2 and Sec. 3.1.", "Then go on."],
        ["It uses i.e. and e.g. and cf. Smith et al. [3] there.", "Next."],
        ["The U.S. Government and Dr. J. Smith agree."],
        ["It opens at 5 p.m. today.", "It closes at 0.5 past."],
        ["No. 5 is left.", "Is it?", "No.", "It is not!"],
        ["The key has 1184 bytes. [c1]", "The text has 1088. [c1, C2]", "So [RS10]."],
        ['He said "stop."', "(It did.)", "Good..."],
        ["Section 5.2 says so.", "1024 is next."],
        ["यह पहला वाक्य है।", "यह दूसरा है। [c1]", "तीसरा॥"],
        ["ما هذا؟", "هذا كتاب.", "یہ ہے\u06d4", "یہ نہیں\u06d4"],
        ["Am 13. Mai 2024 erschien es.", "Am 8. Okt. auch.", "Es gibt 13.", "Danach mehr."],
        ["公開鍵です。", "終わり。", "はい。"],
        ["Version 2. is not the end, lower case goes on."],
        ["Menurut Bpk. Ahmad a.n. PT Maju biayanya tetap.", "Lihat No. 5 dan hlm. 3."],
        ["The size is 1088 bytes.[c1]", "The next is 1184.[c2]", "Done (c1)."],
        ["It works with TLS 1.3.", "See https://nist.gov/a.b?c=d.", "Is v1.2.3 out?"],
        ["密钥有32字节。[c1]", "长度为1088\uff1b密文较短。", "是吗\uff1f", "好\uff01"],
    ],
)
def test_sentences_of_one_line(expected: list[str]) -> None:
    separator = "" if "。" in expected[0] else " "

    assert expected == sentences(separator.join(expected))


def test_a_wrapped_line_goes_on() -> None:
    assert ["A line that\nis wrapped.", "A heading", "Text"] == sentences(
        "A line that\nis wrapped.\n\nA heading\n\nText\n"
    )


def test_lists_headings_and_rows_end() -> None:
    text = "# One\nIntro:\n- a b\n- c\n1. first. Second\n2. x\na | b\nc | d\nend"

    assert [
        "# One", "Intro:", "- a b", "- c", "1. first.", "Second", "2. x", "a | b", "c | d", "end",
    ] == sentences(text)  # fmt: skip


def test_code_and_rows_are_whole() -> None:
    code = "```python\nx = 1. Y\n\n- z = 2\n```"
    text = f"So:\n{code}\nEnd. Now.\n| a | b |\n|---|---|\n| c. D | d |\n```\nopen. E"

    assert [
        "So:", code, "End.", "Now.",
        "| a | b |", "|---|---|", "| c. D | d |", "```\nopen. E",
    ] == sentences(text)  # fmt: skip


def test_spans_cover_all_text() -> None:
    text = "  One. Two!\n\n• three\n (four) [c1]. \t\f 五。six "
    place, outside = 0, ""
    for start, end in sentence_spans(text):
        assert start >= place
        outside += text[place:start]
        place = end

    assert "" == (outside + text[place:]).strip()


def test_long_text_takes_linear_time() -> None:
    assert 1 == len(sentence_spans("x" * 100_000))
    assert 20_000 == len(sentence_spans("Ab. " * 20_000))
    assert () == sentence_spans(" \n\t ")
