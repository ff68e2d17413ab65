"""First drafts of two models, with their evidence, and when an answer is right by its words.

A recording (`recordings/drafts-*.jsonl`) holds the evidence and the model's answer with its
log-probabilities, so `replay-all` grounds the same answers again without index and model.
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from benchmarks.common import RECORDINGS, read
from research_agent.text.missing_parts import read_missing
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer

Outcome = Literal["right", "wrong", "not judged"]
ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and the first draft of its answer."""

    source: str
    qid: str
    evidence: tuple[Evidence, ...]
    answer: Answer

    @property
    def is_draft(self) -> bool:
        """Whether the model has answered; a refusal by its words is none."""
        return bool(self.answer.text) and not read_missing(self.answer.text).is_refusal


ASKED = TypeAdapter(Asked)


def recorded(weights: str) -> list[Asked]:
    """Return the drafts that are recorded of some weights."""
    rows = map(ASKED.validate_python, read(RECORDINGS / f"drafts-{weights}.jsonl"))
    return [asked for asked in rows if asked.is_draft]


def by_words(text: str, golds: Sequence[str]) -> Outcome:
    """Return whether one of the right answers is in `text`, word by word.

    Case, punctuation and articles do not count, as usual for HotpotQA. Where the right answer is
    yes or no, a text that begins with neither is not judged: what it means is not its words.

    >>> by_words("It was the Rutgers University.", ["Rutgers University"])
    'right'
    >>> by_words("Both are.", ["yes"]), by_words("No, only one is.", ["yes"])
    ('not judged', 'wrong')
    """
    words = normal(text)
    wanted = [normal(gold) for gold in golds]
    if set(wanted) & {"yes", "no"}:
        first = words.partition(" ")[0]
        if first not in ("yes", "no"):
            return "not judged"
        return "right" if first in wanted else "wrong"
    return "right" if any(f" {gold} " in f" {words} " for gold in wanted) else "wrong"


def normal(text: str) -> str:
    """Return `text` in small letters without articles, punctuation and accents.

    >>> normal("The Café, St. Louis")
    'cafe st louis'
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = plain.replace("\u2013", "-").replace("\u2019", "'")
    plain = "".join(c for c in plain if c not in string.punctuation)
    return " ".join(ARTICLES.sub(" ", plain).split())
