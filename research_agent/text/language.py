"""Which language a text is in, by the model of py3langid; codes are those of ISO 639-1."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from research_agent.text.words import STOP_WORDS, index_words, query_words

NEAR = 10.0
"""Nats by which a language may be less likely than the likeliest and still be meant: of 310 texts
of benchmarks/questions/rewrites_*.jsonl their own language is never further off, another once."""


LEAST_TERMS = 4
"""Words from which on a query tells its language well enough."""


@cache
def _identifier() -> Any:  # noqa: ANN401 (py3langid has no types)
    from py3langid.langid import MODEL_FILE, LanguageIdentifier
    from stopwordsiso import langs

    found = LanguageIdentifier.from_model_file(MODEL_FILE)
    found.set_languages(sorted({*langs()} & {*found.nb_classes}))
    return found


def languages_of(text: str) -> tuple[str, ...]:
    """Return the codes of the languages that `text` may be in, the likeliest first.

    Empty where there are no letters. A few words, or nothing but names, may be of many.

    >>> languages_of("Who pays for the repairs?"), languages_of("Berapa lama garansi itu?")[0]
    (('en',), 'id')
    """
    if not any(char.isalpha() for char in text):
        return ()
    ranked = _identifier().rank(text)
    return tuple(str(code) for code, score in ranked if score >= ranked[0][1] - NEAR)


def languages_apart(question: str, texts: Sequence[str]) -> tuple[str, str]:
    """Return the languages of a question and of `texts` if they must differ, else empty texts.

    They need not where half of the texts, read one by one, are likeliest in the question's, or
    where no language is that of more than half of them.
    """
    own, theirs = languages_of(question), languages_of(" ".join(texts))
    if not own or not theirs or {*own} & {*theirs}:
        return "", ""
    each = [languages_of(text) for text in texts]
    alike = sum(bool({*own} & {*found[:1]}) for found in each)
    counted = Counter(code for found in each for code in found[:1])
    likely = (theirs[0], *dict(counted.most_common(1)))
    most = [code for code in likely if 2 * sum(code in found for found in each) > len(texts)]
    return (own[0], most[0]) if most and 2 * alike < len(texts) else ("", "")


@cache
def language_name(code: str) -> str:
    """Return the English name of a language."""
    from babel import Locale

    return str(Locale("en").languages.get(code, code)) if code else ""


def search_terms(query: str) -> tuple[str, ...]:
    """Return the words of `query` to search for: its terms without its language's function words.

    A query with an English stop word, of fewer words than `LEAST_TERMS`, or that may be English, is
    taken as English.

    >>> search_terms("Berapa lama Presiden memegang jabatan?")
    ('presiden', 'memegang', 'jabatan')
    """
    terms = query_words(query)
    if len(terms) < max(LEAST_TERMS, len({*index_words(query)})):
        return terms
    languages = languages_of(query)
    if not languages or "en" in languages:
        return terms
    dropped = _listed(languages[:1])
    return tuple(term for term in terms if term not in dropped) or terms


def function_words(text: str) -> frozenset[str]:
    """Return the function words, in lower case, of the language that `text` is likeliest in.

    For English they are the word index's own: those of stopwordsiso have "keys" and "system".
    """
    return _listed(languages_of(text)[:1])


@cache
def _listed(codes: tuple[str, ...]) -> frozenset[str]:
    from stopwordsiso import stopwords

    if codes == ("en",):
        return STOP_WORDS
    return frozenset(stopwords(codes)) if codes else frozenset()
