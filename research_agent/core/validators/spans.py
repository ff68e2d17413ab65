"""How often a text negates; the validators themselves no longer look at it."""

from research_agent.core.validators.reading import Reading


def negations(reading: Reading) -> int:
    """Return how many words of a text negate."""
    return sum(item.has("negation") and not item.has("spared") for item in reading.items)
