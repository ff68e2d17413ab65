"""What a conversation says about an answer's doubts."""

from research_agent.interfaces.chat.text import why_text
from research_agent.types.conversation import Turn
from research_agent.types.uncertainty import Passed, Uncertainty, Unsure, in_words


def test_why_has_the_words_and_the_figures() -> None:
    """What the uncertainty was measured by, and each thing with its nats."""
    unsure = Unsure("unsure about the name Bos", (3, 6), "name", 0.7, "logprobs", 1.2)
    differ = Unsure("two answers differ on 1 and 2", (8, 9), "difference", 0.5, "disagreement")
    by = Uncertainty("disagreement", value=0.5, passed=(Passed("logprobs", "partial"),))
    told = why_text(Turn(uncertainty=in_words(by), unsure=(unsure, differ))).splitlines()

    assert "unsure about the name Bos: 1.20 nats, 0.70 of the most there could be" in told
    assert "two answers differ on 1 and 2: the second answer lacks 50 % of the sentence" in told
    assert (
        "uncertainty: by a second answer: 50 % of what both say only one says (no "
        "log-probabilities: more than half of its words have none that can be used)"
    ) in told


def test_why_of_older_turns_stays_as_it_was() -> None:
    """Nothing was kept of what they were measured by."""
    assert "uncertainty:" not in why_text(Turn())
