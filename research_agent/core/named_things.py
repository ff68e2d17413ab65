"""Whether the evidence says anything of what a question names."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain

from research_agent.core.corpus import DocumentOutline
from research_agent.core.evidence import Evidence
from research_agent.core.quoting import source_of
from research_agent.core.support import names
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.reading import language_of
from research_agent.core.words import fold

WORD = re.compile(r"[^\W\d_][\w'-]*")
MARKS_NAMES = frozenset({"english", "indonesian"})
"""Languages, of those that can be told, in which a capital within a sentence marks a name."""
_BODIES = (
    "FIPS|SP|IR|NISTIR|RFC|ISO|IEC|IEEE|ETSI|ANSI|DIN|EN|ITU|BSI|ASTM|SNI|GB|JIS|CFR|CVE|PEP|CWE"
)
STANDARD = re.compile(rf"\b(?:{_BODIES})(?:[/ -][A-Z]{{1,5}})*[ .-]?(\d[\d.-]*\d|\d)[A-Z]?\b")
FILE = re.compile(
    r"(?<![\w./-])[\w.-]*\w\.(?:pdf|docx?|md|rst|txt|html?|json|ya?ml|toml|ini|csv|xlsx?|pptx?|py|js|"
    r"ts|java|go|rs|c|h|cpp|sh|sql)\b(?![\w/(-])",
    re.IGNORECASE,
)
LEAST = 2
"""With fewer names a question may be about what the evidence calls something else."""


def named_in(question: str) -> frozenset[str]:
    """Return what a question names: words with capitals, but for the first of each sentence.

    Empty in a language where capitals say something else, or nothing.

    >>> sorted(named_in("What does a ticket from Jakarta to Bandung cost?"))
    ['Bandung', 'Jakarta']
    """
    language = language_of(question, LANGUAGES)
    if language is None or language.language not in MARKS_NAMES:
        return frozenset()
    capital = {
        word[0]
        for sentence in re.split(r"[.?!:]\s+", question)
        for word in list(WORD.finditer(sentence))[1:]
        if word[0][0].isupper() and len(word[0]) > 1
    }
    return frozenset(capital | names(question))


def is_about_something_else(question: str, evidence: Sequence[Evidence]) -> bool:
    """Return whether a question names several things and the evidence holds not one of them.

    A part of a compound is enough: what is said of "ML-KEM" may answer for "ML-KEM-768".

    >>> from research_agent.core.types import Chunk, Hit
    >>> trains = Evidence("c1", Hit(Chunk("x", "trains", "From Jakarta a ticket costs 5.")))
    >>> budget = Evidence("c1", Hit(Chunk("y", "budget", "A call costs tokens.")))
    >>> question = "What does a ticket from Jakarta to Bandung cost?"
    >>> [is_about_something_else(question, [item]) for item in (trains, budget)]
    [False, True]
    """
    named = [_words(name) for name in named_in(question)]
    if len(named) < LEAST:
        return False
    said: set[str] = set()
    for item in evidence:
        said.update(_words(source_of(item.hit.chunk)))
    return not any(word in said or word.removesuffix("s") in said for word in chain(*named))


def named_documents(question: str) -> frozenset[str]:
    """Return the standards and files that a question names.

    >>> sorted(named_documents("What do RFC 8446, ISO/IEC 27001 and notes.md say of AES 256?"))
    ['ISO/IEC 27001', 'RFC 8446', 'notes.md']
    """
    standards = (match[0] for match in STANDARD.finditer(question))
    return frozenset((*standards, *FILE.findall(question)))


def is_out_of_scope(
    question: str,
    evidence: Sequence[Evidence],
    documents: Callable[[], Sequence[DocumentOutline]],
) -> bool:
    """Return whether a question is about something else than the documents.

    So it is where it names several things and the evidence none of them, or where it names
    standards or files and neither the evidence nor the name or title of a document has one of them.

    >>> from research_agent.core.types import Chunk, Hit
    >>> item = Evidence("c1", Hit(Chunk("x", "NIST.FIPS.203", "Like FIPS 202.")))
    >>> questions = ("What is in FIPS 203?", "What is in FIPS 202?", "What is in RFC 8446?")
    >>> [is_out_of_scope(question, [item], lambda: ()) for question in questions]
    [False, False, True]
    """
    if is_about_something_else(question, evidence):
        return True
    named = [_words(name) for name in named_documents(question)]
    chunks = [item.hit.chunk for item in evidence]
    if not named or _holds_one(named, (f"{c.doc_id} {c.title} {c.text}" for c in chunks)):
        return False
    return not _holds_one(named, (f"{d.doc_id} {d.title} {d.source}" for d in documents()))


def names_document(named: Collection[str], document: DocumentOutline) -> bool:
    """Return whether one of these names, of standards or files, is a document's.

    >>> names_document(["FIPS 203"], DocumentOutline("NIST.FIPS.203"))
    True
    """
    said = f"{document.doc_id} {document.title} {document.source}"
    return _holds_one([_words(name) for name in named], [said])


def _holds_one(named: Sequence[Sequence[str]], texts: Iterable[str]) -> bool:
    """Return whether some text has a number of a standard, or all words of a file's name."""
    for text in texts:
        said = set(re.findall(r"\d+|[^\W\d_]+", fold(text)))
        for words in named:
            parts = set(re.findall(r"\d+|[^\W\d_]+", " ".join(words)))
            numbers = {part for part in parts if part.isdigit()}
            if (numbers or parts) <= said:
                return True
    return False


def _words(text: str) -> list[str]:
    """Return the words of a text without case, compounds in their parts."""
    return [word for word in re.split(r"[\W_]+", fold(text)) if word]
