"""Whether what is shown of an answer is still about what its question names."""

from collections.abc import Sequence

from research_agent.core.claims import Claim, is_shown
from research_agent.core.named_things import named_in
from research_agent.core.support import is_named


def left_unsaid(question: str, claims: Sequence[Claim]) -> str:
    """Return a thing that a question names and only unsupported sentences speak of.

    Empty where a shown sentence or its quote names one of the question's things, or where nothing
    is shown.

    >>> question = "What does the plan of Jakarta say about Gambir?"
    >>> shown = Claim("Trains should be fast.", ("c1",), verdict="supported")
    >>> left_unsaid(question, [shown, Claim("Gambir gets a new hall.", verdict="unsupported")])
    'Gambir'
    >>> left_unsaid(question, [shown, Claim("Buses should not.", verdict="unsupported")])
    ''
    """
    shown = [claim for claim in claims if is_shown(claim)]
    said = [claim.text for claim in shown] + [q.quote for claim in shown for q in claim.quotes]
    named = sorted(named_in(question))
    if not said or any(is_named(name, text) for name in named for text in said):
        return ""
    dropped = [claim.text for claim in claims if not is_shown(claim)]
    return next((name for name in named for text in dropped if is_named(name, text)), "")
