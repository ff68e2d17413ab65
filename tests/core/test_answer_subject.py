"""Whether what is shown of an answer is still about what its question names."""

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

    assert "Gambir" == left_unsaid(QUESTION, [named, general])
    assert "" == left_unsaid(QUESTION, [named, quoted])
    assert "" == left_unsaid(QUESTION, [named])
    assert "" == left_unsaid(QUESTION, [general])
    assert "" == left_unsaid("what is said about trains", [named, general])


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
