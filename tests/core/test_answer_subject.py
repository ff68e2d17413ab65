"""Whether what is shown of an answer is still about what its question names."""

import pytest

from research_agent.core.answer_subject import left_unsaid
from research_agent.core.budget import Allowance
from research_agent.core.claims import Claim
from research_agent.core.doubting import DoubtRule
from research_agent.core.evidence import Evidence
from research_agent.core.support import Support
from research_agent.core.types import Chunk, Hit
from research_agent.core.verification import Answer, Draft, verify

QUESTION = "What does the plan of Jakarta say about Gambir?"


def claim(text: str, *, shown: bool, quote: str = "") -> Claim:
    quotes = (Support(1.0, quote, 0, len(quote)),) if quote else ()
    return Claim(text, ("c1",), quotes, verdict="supported" if shown else "unsupported")


def test_what_is_shown_of_an_answer_has_to_be_about_the_question() -> None:
    """Where the sentences that spoke of its things are left out."""
    general = claim("Trains should be fast.", shown=True)
    named = claim("Gambir gets a new hall.", shown=False)
    quoted = claim("It should be fast.", shown=True, quote="Jakarta should be fast.")

    assert "Gambir" == left_unsaid(QUESTION, [named, general], ())
    assert "" == left_unsaid(QUESTION, [named, quoted], ())
    assert "" == left_unsaid(QUESTION, [named], ())
    assert "" == left_unsaid(QUESTION, [general], ())
    assert "" == left_unsaid("what is said about trains", [named, general], ())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many seats has the TX-9?", ""),
        ("How many seats has the TX-9 from Gambir?", ""),
        ("How many seats have RX-7 and TX-9?", ""),
        ("How many seats has the RX-7?", "RX-7"),
        ("How many seats has Gambir?", ""),
    ],
)
def test_an_identifier_of_the_question_stands_in_what_is_cited(
    question: str, expected: str
) -> None:
    """In the chunk, its headings or its document's name; another chunk of the evidence is none."""
    cited = Chunk("a", "trains", "It has 80 seats.", section=("The train TX",))
    other = Chunk("b", "trains", "The RX-7 is old.")
    evidence = [Evidence("c1", Hit(cited)), Evidence("c2", Hit(other))]
    said = claim("It has 80 seats.", shown=True, quote="It has 80 seats.")

    assert expected == left_unsaid(question, [said], evidence)


def test_such_an_answer_is_refused() -> None:
    """Its other sentence is supported, and about something else."""
    chunk = Chunk("plan-0", "plan", "Trains should be fast everywhere. The plan has parts.")
    check, best = verify(
        QUESTION,
        Answer(
            "Gambir gets 40 platforms [c1]. Trains should be fast everywhere [c1].", keys=("c1",)
        ),
        (Evidence("c1", Hit(chunk)),),
        Draft(),
        allowance=Allowance(9, 9, 9999, 99.0),
        probe_failed=False,
        round_=1,
        max_rounds=1,
        rule=DoubtRule(),
        min_support=0.5,
    )

    assert ["unsupported", "supported"] == [claim.verdict for claim in best.claims]
    assert ("Gambir", "insufficient_evidence") == (best.lacking, check.refused)
