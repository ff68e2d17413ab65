"""What rerank servers are sent and what they answer; this module does no I/O.

| form | request | reply | scores |
|---|---|---|---|
| llama.cpp | `query`, `documents` | `results` of `index`, `relevance_score` | logits, mostly |
| vllm | `query`, `documents`, `truncate_prompt_tokens` | the same | 0 to 1 |
| tei | `query`, `texts`, `raw_scores`, `truncate` | a list of `index`, `score` | 0 to 1 |
"""

import json
import math
from collections.abc import Sequence
from typing import Literal

Form = Literal["llama.cpp", "vllm", "tei"]
Scores = Literal["auto", "logits", "probabilities"]


def body(form: Form, query: str, texts: Sequence[str], model: str) -> dict[str, object]:
    """Return the request; every text is to be scored, and cut where the server can cut.

    >>> body("llama.cpp", "q", ["a", "b"], "")
    {'query': 'q', 'documents': ['a', 'b'], 'top_n': 2}
    """
    named: dict[str, object] = {"model": model} if model else {}
    if form == "tei":
        return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": True}
    sent = {**named, "query": query, "documents": list(texts), "top_n": len(texts)}
    return {**sent, "truncate_prompt_tokens": -1} if form == "vllm" else sent


def scores(form: Form, content: bytes, count: int) -> list[float]:
    """Return the score of each of `count` texts, in the order in which they were sent.

    Raises ValueError, with a reason that repeats nothing of the reply, where it is no JSON or
    not exactly one finite score for every text.

    >>> scores("tei", b'[{"index": 1, "score": 0.5}, {"index": 0, "score": 0.25}]', 2)
    [0.25, 0.5]
    """
    try:
        reply = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if form != "tei":
        reply = reply.get("results") if isinstance(reply, dict) else None
    if not isinstance(reply, list):
        raise ValueError("no list of results")  # noqa: TRY004 (one kind of error for all of it)
    found: dict[int, float] = {}
    for item in reply:
        at, score = _entry(item, "score" if form == "tei" else "relevance_score")
        if not 0 <= at < count:
            raise ValueError("the index of a text that was not sent")
        if at in found:
            raise ValueError("two scores for one text")
        found[at] = score
    if len(found) != count:
        raise ValueError(f"{len(found)} scores for {count} texts")
    return [found[at] for at in range(count)]


def on_unit_scale(values: Sequence[float], scale: Scores = "auto") -> tuple[float, ...]:
    """Return scores from 0 to 1.

    "logits" go through the logistic function, "probabilities" are taken as they are (what lies
    outside 0 to 1 is cut). "auto" takes all scores of a question as logits where any of them
    lies outside 0 to 1, and as probabilities otherwise; the order is the same either way. Name
    the scale where scores are compared with a limit (`rerank.min_score`) and the server sends
    logits: a question whose logits happen to lie in 0 to 1 is not told apart.

    >>> on_unit_scale([0.0, 2.0]), on_unit_scale([0.25, 1.0])
    ((0.5, 0.8807970779778823), (0.25, 1.0))
    """
    outside = any(not 0.0 <= value <= 1.0 for value in values)
    if scale == "logits" or (scale == "auto" and outside):
        return tuple(_logistic(value) for value in values)
    return tuple(min(1.0, max(0.0, value)) for value in values)


def _entry(item: object, key: str) -> tuple[int, float]:
    if not isinstance(item, dict):
        raise ValueError("a result that is no object")  # noqa: TRY004 (one kind of error for all of it)
    at, score = item.get("index"), item.get(key)
    if not isinstance(at, int) or isinstance(at, bool):
        raise ValueError("a result without an index")  # noqa: TRY004 (one kind of error for all of it)
    if not isinstance(score, int | float) or isinstance(score, bool):
        raise ValueError(f"a result without a {key}")  # noqa: TRY004 (one kind of error for all of it)
    try:
        value = float(score)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError("a score that is no number")
    return at, value


def _logistic(value: float) -> float:
    """Return 1 / (1 + exp(-value)) without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    power = math.exp(value)
    return power / (1.0 + power)
