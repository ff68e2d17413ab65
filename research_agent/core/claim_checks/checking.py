"""All checks of one sentence against one quote."""

from research_agent.core.claim_checks.bounds import turned
from research_agent.core.claim_checks.cells import in_another_cell
from research_agent.core.claim_checks.columns import of_no_column
from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.compounds import other_part
from research_agent.core.claim_checks.conditions import dropped
from research_agent.core.claim_checks.frequency import other_frequency
from research_agent.core.claim_checks.nearer import of_another_clause
from research_agent.core.claim_checks.opposites import exchanged
from research_agent.core.claim_checks.order import swapped
from research_agent.core.claim_checks.polarity import flipped, with_prefixes
from research_agent.core.claim_checks.reading import read
from research_agent.core.claim_checks.roles import misplaced_part
from research_agent.core.claim_checks.rows import generalized, negated, of_another_row
from research_agent.core.claim_checks.scope import narrowed
from research_agent.core.claim_checks.strength import changed
from research_agent.core.claim_checks.subjects import of_another
from research_agent.core.claim_checks.substitution import replaced
from research_agent.core.claim_checks.values import misplaced, other_unit
from research_agent.core.claim_checks.word_cells import opposite_cell
from research_agent.core.reference_marks import without_reference_marks
from research_agent.core.sentences import sentence_spans

CHECKS = (
    misplaced,
    flipped,
    exchanged,
    dropped,
    changed,
    narrowed,
    swapped,
    misplaced_part,
    replaced,
    other_frequency,
    of_another,
    other_part,
    turned,
    of_another_clause,
)


def contradiction(sentence: str, quote: str, *, context: str = "", table: str = "") -> str:
    """Return what a sentence says otherwise than its quote; empty where no check finds anything.

    `context` is what belongs to the quote without standing in it: the chunk around it with its
    headings. `table` is the whole table of which the quote is rows. A sentence that stands in the
    quote word for word, from one end of a sentence to the other, is not checked.

    >>> contradiction("Keys may be reused.", "Keys must not be reused.")
    'the evidence negates "reused"'
    >>> contradiction("Keys must never be reused.", "Keys must not be reused.")
    ''
    """
    if is_copied(sentence, quote):
        return ""
    said, quoted = read(sentence), read(quote)
    if table:
        return _of_table(Compared(said, quoted, context), table)
    both = Compared(with_prefixes(said, quoted), with_prefixes(quoted, said), context)
    return next((found for check in CHECKS if (found := check(both))), "")


def _of_table(both: Compared, table: str) -> str:
    return (
        of_another_row(both.said, table)
        or in_another_cell(both.said, table)
        or of_no_column(both.said, table, both.around)
        or opposite_cell(both.said, table)
        or generalized(both.said, table)
        or other_unit(both)
        or negated(both)
        or exchanged(Compared(both.said, both.quoted, table), alone=True)
        or narrowed(both)
    )


def is_copied(sentence: str, quote: str) -> bool:
    """Return whether a sentence stands in its quote word for word, as a whole sentence of it.

    >>> is_copied("keys may be reused", "Seeds may not. Keys may be reused."), is_copied("No.", "")
    (True, False)
    """
    own = _plain(sentence)
    if own == _plain(quote):
        return bool(own)
    parts = (quote[start:end] for start, end in sentence_spans(quote))
    return any(own == _plain(part) for part in parts)


def _plain(text: str) -> str:
    plain = without_reference_marks(text).lower()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())
