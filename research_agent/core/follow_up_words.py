"""The words by which a question leans on the one before it, language by language."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpWords:
    """Words of one language, in lower case."""

    language: str
    openers: tuple[str, ...]
    """What a question begins with that takes everything but one thing from the one before."""
    closers: tuple[str, ...] = ()
    """What such a question ends with."""
    asking: tuple[str, ...] = ()
    """Words that begin a question which is whole, also behind an opener."""
    others: tuple[str, ...] = ()
    """The thing that the question before was not about."""
    singular: tuple[str, ...] = ()
    """Words for one thing that was named before."""
    plural: tuple[str, ...] = ()
    possessive: tuple[str, ...] = ()
    owner: str = "{}"
    """How the owner is named in place of a possessive word."""
    both: str = "{} and {}"
    articles: tuple[str, ...] = ()
    """Words before a thing that the question itself names."""
    endings: tuple[str, ...] = ()
    """Endings of words that point back."""
    spaced: bool = True


ENGLISH = FollowUpWords(
    language="english",
    openers=(
        "and what about", "and how about", "what about", "how about", "and for", "and with",
        "and in", "and of", "and on", "and", "but for", "or for",
    ),
    asking=(
        "what", "how", "which", "who", "whose", "when", "where", "why", "is", "are", "was", "were",
        "does", "do", "did", "can", "could", "should", "must", "may", "will", "would", "has",
        "have", "list", "name", "describe", "explain", "define",
    ),
    others=("the other one", "the other two", "the others", "the other", "the second one"),
    singular=("it", "this one", "that one"),
    plural=("they", "them", "both of them", "these", "those"),
    possessive=("its", "their"),
    owner="{}'s",
    articles=("the", "a", "an", "this", "that", "each", "every", "my", "our"),
)  # fmt: skip
INDONESIAN = FollowUpWords(
    language="indonesian",
    openers=("bagaimana dengan", "dan untuk", "kalau untuk", "kalau", "dan", "lalu"),
    asking=(
        "apa", "apakah", "bagaimana cara", "berapa", "siapa", "kapan", "di mana", "mana", "mengapa",
        "kenapa", "jelaskan", "sebutkan",
    ),
    others=("yang satunya", "yang satu lagi", "yang lain", "yang lainnya"),
    singular=("ia", "dia", "hal itu", "itu"),
    plural=("mereka", "keduanya"),
    both="{} dan {}",
    articles=("sebuah", "suatu", "setiap"),
    endings=("nya",),
)  # fmt: skip
CHINESE = FollowUpWords(
    language="chinese",
    openers=("\u90a3\u4e48", "\u90a3", "\u800c"),
    closers=("\u5462",),
    asking=(
        "\u4ec0\u4e48", "\u600e\u4e48", "\u591a\u5c11", "\u8c01", "\u4e3a\u4ec0\u4e48", "\u54ea",
    ),
    others=("\u53e6\u4e00\u4e2a", "\u53e6\u5916\u4e00\u4e2a", "\u5176\u4ed6\u7684"),
    singular=("\u5b83",),
    plural=("\u5b83\u4eec", "\u4ed6\u4eec"),
    possessive=("\u5176",),
    owner="{}\u7684",
    both="{}\u548c{}",
    spaced=False,
)  # fmt: skip
FOLLOW_UPS = (ENGLISH, INDONESIAN, CHINESE)
