"""The crude stem of an English word."""

from functools import lru_cache


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a crude stem, so that inflected forms meet.

    >>> stem("decapsulation") == stem("decapsulated"), stem("keys"), stem("ml-kem-768")
    (True, 'key', 'ml-kem-768')
    """
    if any(c.isdigit() for c in word):
        return word
    for ending in ("ations", "ation", "ating", "ated", "ates", "ings", "ing", "ions", "ion"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:  # noqa: PLR2004 (letters left)
            return word[: -len(ending)]
    for ending in ("ed", "es", "s", "e", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004 (letters left)
            return word[: -len(ending)]
    return word
