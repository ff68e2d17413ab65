"""Whether what is shown of an answer is still about what its question names."""

import re
from collections.abc import Sequence

from research_agent.core.claims import Claim, is_shown
from research_agent.core.evidence import Evidence
from research_agent.core.named_things import named_in
from research_agent.core.quoting import source_of
from research_agent.core.support import is_named
from research_agent.core.words import index_words

IDENTIFIER = re.compile(r"(?=.*[^\W\d_])(?=.*[\d-]).+")
"""A name with letters and a number or a hyphen: ML-KEM-768, SHAKE128, Wi-Fi."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def left_unsaid(question: str, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> str:
    """Return a thing that a question names and what is shown of its answer does not speak of.

    Either only sentences without support speak of it, and no shown one nor its quote of any thing
    of the question; or it is an identifier, and no cited chunk holds any of the question's
    identifiers. Empty where neither is so, or nothing is shown.

    >>> question = "What does the plan of Jakarta say about Gambir?"
    >>> shown = Claim("Trains should be fast.", ("c1",), verdict="supported")
    >>> left_unsaid(question, [shown, Claim("Gambir gets a hall.", verdict="unsupported")], [])
    'Gambir'
    >>> left_unsaid("How fast is a TX-9?", [shown], [])
    'TX-9'
    """
    shown = [claim for claim in claims if is_shown(claim)]
    if not shown:
        return ""
    named = sorted(named_in(question))
    said = [claim.text for claim in shown] + [q.quote for claim in shown for q in claim.quotes]
    if not any(is_named(name, text) for name in named for text in said):
        dropped = [claim.text for claim in claims if not is_shown(claim)]
        for name in named:
            if any(is_named(name, text) for text in dropped):
                return name
    identifiers = [name for name in named if IDENTIFIER.fullmatch(name)]
    cited = {key for claim in shown for key in claim.keys}
    sources = [source_of(item.hit.chunk) for item in evidence if item.key in cited]
    known = frozenset(word for text in (*said, *sources) for word in index_words(text))
    spoken_of = any(known.issuperset(_parts(name)) for name in identifiers)
    return "" if spoken_of or not identifiers else identifiers[0]


def _parts(name: str) -> tuple[str, ...]:
    """Return the parts of a name that have letters: "2048-bit RSA" speaks of RSA-2048."""
    return tuple(word.lower() for word in _LETTERS.findall(name))
