"""Words are compared without tables of any language."""

from research_agent.text.content_words import content_words, is_named, share_held, wanted_words


def test_inflected_forms_meet() -> None:
    """Endings do not matter, whatever the language."""
    assert 1.0 == share_held("Keys encapsulated", content_words("encapsulation of the keys"))
    assert 1.0 == share_held("Kuncinya", content_words("kuncinyalah"))


def test_a_compound_is_one_word_and_its_parts_will_do() -> None:
    """However a name is joined."""
    assert 1 == len(wanted_words("ML-KEM-768"))
    assert 1.0 == share_held("ML-KEM-768", content_words("ML KEM 768"))
    assert 0.0 == share_held("ML-KEM-768", content_words("ML-KEM-512"))


def test_numbers_in_any_typography_are_the_same() -> None:
    """Thousands marks and the digits of another script."""
    assert (
        content_words("1,184") == content_words("1184") == content_words("\u0661\u0661\u0668\u0664")
    )


def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    """Chinese, without a word list."""
    share = share_held("密钥长度为1184字节", content_words("该密钥的长度是1184字节。"))
    assert 0.5 < share < 1.0


def test_a_text_without_words_holds_nothing() -> None:
    """No error, and nothing is held."""
    assert 0.0 == share_held("!!! …", content_words("a text"))
    assert 0.0 == share_held("text", content_words(""))


def test_a_name_is_named_in_any_spelling() -> None:
    """And in a longer name that begins with it."""
    assert is_named("ML-KEM", "the ml_kem-768 key")
    assert not is_named("ML-DSA", "the ML-KEM key")
