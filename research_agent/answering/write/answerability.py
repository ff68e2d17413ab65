"""How likely the evidence answers a question: what a model says of its answer, and a cross-encoder.

A small model says yes too easily where a passage is about the same subject; the packaged
cross-encoder was trained on questions and the passages that answer them. Two weights and a bias,
fitted by `python -m benchmarks refusals` on questions of medicine, cloud documents, finance
and Wikipedia.
"""

from collections.abc import Sequence
from math import exp

YES, RELEVANCE, BIAS = 3.69, 0.218, -3.149
"""Of P(yes), of the largest logit, and alone."""
WIDTH, STEP = 900, 700
"""Characters of a piece of a text that the cross-encoder reads, and from one to the next."""
MOST = 5
"""Pieces of one text."""


def answerability(yes: float, relevance: float) -> float:
    """Return how likely the evidence answers a question, 0 to 1.

    `yes` is the model's probability that the evidence supports its answer, `relevance` the largest
    logit of the question and a piece of the evidence.
    """
    return 1.0 / (1.0 + exp(-(YES * yes + RELEVANCE * relevance + BIAS)))


def pieces(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the overlapping pieces of texts that are compared with a question."""
    return tuple(
        text[start : start + WIDTH]
        for text in texts
        for start in range(0, min(max(len(text), 1), MOST * STEP), STEP)
    )
