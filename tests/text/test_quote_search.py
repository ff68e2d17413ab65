"""Quotes are short, verbatim, and hold most of a sentence's words."""

from dataclasses import replace

from research_agent.text.quote_search import best_quotes
from research_agent.types import Chunk

BREAD = Chunk("x", "guide", "It rains. Bread is baked at 230 degrees. It is then cooled. The end.")
TABLE = Chunk(
    "t",
    "guide",
    "Sizes in bytes\n | key | ciphertext\nML-KEM-512 | 800 | 768\nML-KEM-768 | 1184 | 1088",
    kind="table",
)


def test_a_quote_is_verbatim() -> None:
    (quote,) = best_quotes("Bread is baked at 230 degrees", BREAD)
    assert "Bread is baked at 230 degrees." == quote.quote == BREAD.text[quote.start : quote.end]
    assert 1.0 == quote.score


def test_a_quote_grows_only_for_what_it_gains() -> None:
    (quote,) = best_quotes("Bread is baked at 230 degrees and cooled", BREAD)
    assert quote.quote.endswith("cooled.")
    assert 1 == len(best_quotes("It rains", BREAD, most=3))


def test_quotes_do_not_overlap() -> None:
    far = replace(BREAD, text="Bread is hot. It rains. It snows. It hails. Bread is sold.")
    first, second = best_quotes("Bread is hot and sold", far, most=2)
    assert first.end <= second.start or second.end <= first.start


def test_headings_and_a_tables_head_are_held_but_not_quoted() -> None:
    (quote,) = best_quotes("The key of ML-KEM-768 has 1184 bytes", TABLE)
    assert ("ML-KEM-768 | 1184 | 1088", 1.0) == (quote.quote, quote.score)
    headed = replace(BREAD, section=("Baking",))
    assert 1.0 == best_quotes("Baking bread", headed)[0].score


def test_a_sentence_that_lists_a_whole_table_is_carried_by_it() -> None:
    rows = replace(TABLE, text="\n".join(f"name{i} | {i}00" for i in range(6)))
    sentence = ", ".join(f"name{i}: {i}00" for i in range(6))
    assert rows.text == best_quotes(sentence, rows)[0].quote


def test_scripts_without_spaces() -> None:
    chunk = Chunk("z", "", "面包在230度烤制。密钥长度为1184字节。周一闭馆。")
    assert "密钥长度为1184字节。" == best_quotes("密钥有1184字节。", chunk)[0].quote


def test_nothing_shared_is_no_quote() -> None:
    assert () == best_quotes("Kilns", BREAD)
    assert () == best_quotes("…", BREAD)
    assert () == best_quotes("Bread", Chunk("e", "", ""))
