"""Which things of a comparison an answer says nothing about."""

import pytest

from research_agent.core.claims import Claim
from research_agent.core.question_words import ENGLISH
from research_agent.core.sides import missing_sides
from research_agent.core.support import Support


def claim(text: str, quote: str = "", *, shown: bool = True) -> Claim:
    """Return a claim that is carried by a quote, or by nothing."""
    verdict = "supported" if shown else "unsupported"
    return Claim(text, ("c1",), (Support(1.0, quote),), verdict)  # type: ignore[arg-type]  # (a verdict)


@pytest.mark.parametrize(
    ("question", "claims", "missing"),
    [
        ("How do AES and RSA differ?", [claim("AES is fast.")], ("RSA",)),
        ("How do AES and RSA differ?", [claim("AES is fast, RSA is not.")], ()),
        ("How do AES and RSA differ?", [claim("It is fast.", "AES is faster than RSA.")], ()),
        ("How do AES and RSA differ?", [claim("One is fast.")], ()),
        (
            "How do AES and RSA differ?",
            [claim("AES is fast."), claim("RSA.", shown=False)],
            ("RSA",),
        ),
        ("Compare AES, RSA and HQC.", [claim("RSA is old.")], ("AES", "HQC")),
        ("How fast is AES?", [claim("It is fast.")], ()),
        ("How do AES and RSA differ?", [], ()),
        (
            "How do AES and RSA differ?",
            [claim("AES and RSA differ as follows:"), claim("AES is fast.")],
            ("RSA",),
        ),
    ],
)
def test_missing_sides(question: str, claims: list[Claim], missing: tuple[str, ...]) -> None:
    """A side counts where a shown sentence or its quote names it."""
    assert missing == missing_sides(question, claims, [ENGLISH])
