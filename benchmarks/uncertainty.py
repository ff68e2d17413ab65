"""How well each sign of doubt tells wrong answers from right ones.

The answers are recorded drafts (`uncertainty_asking`); support, verdicts and entropies are
computed anew each time, so no model is asked without `live`.
"""

import re
import string
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache as kept_once
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from benchmarks import second_answers
from benchmarks.keeping import keep
from benchmarks.questions import Row, scorer
from benchmarks.uncertainty_asking import SOURCES, Asked, keys, record, recorded, recording
from benchmarks.uncertainty_signals import SIGNALS
from benchmarks.uncertainty_table import table
from research_agent.core.claims import bare, is_shown, read_claims
from research_agent.settings import Settings

Outcome = Literal["right", "wrong", "refused", "not judged"]
ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What became of one draft, and its doubts."""

    source: str
    qid: str
    draft: Outcome
    """Of the model's words as they are."""
    given: Outcome
    """Of what the product shows: supported sentences, unless the check refuses."""
    doubts: Mapping[str, float]
    """By the name of the signal; those that the draft has."""
    seconds: float


def run(weights: str, *, live: bool, minutes: float, cache: str) -> str:
    """Record what is missing where `live`, judge all that is recorded, and return the table."""
    if live:
        with TemporaryDirectory() as temporary:
            record(weights, SOURCES, minutes=minutes, cache=Path(cache or temporary).absolute())
        second_answers.record(weights, recorded(recording(weights)), minutes=minutes)
    second = second_answers.recorded(second_answers.recording(weights))
    asked = second_answers.joined(recorded(recording(weights)), second)
    judged = [judge(one) for one in asked]
    text = table(judged)
    name = "uncertainty" if weights == "1.5b" else "uncertainty-small"
    keep(name, map(asdict, judged), text)
    return text


def judge(asked: Asked) -> Judgement:
    """Return what a draft is worth by its key, and how doubtful it is."""
    settings, answer = Settings(), asked.answer
    claims = read_claims(
        answer.text, answer.tokens, asked.evidence, min_support=settings.verify.min_support
    )
    passed = answer.answerable is None or answer.answerable >= settings.answer.min_answerable
    shown = " ".join(claim.text for claim in claims if is_shown(claim))
    found = {name: signal.of(asked, claims) for name, signal in SIGNALS.items()}
    return Judgement(
        source=asked.source,
        qid=asked.qid,
        draft=outcome(asked, bare(answer.text)) if asked.is_draft else "refused",
        given=outcome(asked, shown) if asked.is_draft and passed and shown else "refused",
        doubts={name: round(doubt, 5) for name, doubt in found.items() if doubt is not None},
        seconds=asked.seconds,
    )


def outcome(asked: Asked, text: str) -> Outcome:
    """Return whether `text` is right by the key of its question."""
    key = _keys(asked.source)[asked.qid]
    if asked.source == "nist":
        return by_facts(text, key)
    return by_words(text, (key["answer"], *key["aliases"]))


def by_facts(text: str, key: Row) -> Outcome:
    """Return what the scorer beside the NIST questions says; a denial there is a refusal.

    Questions that it does not count are not judged.
    """
    if not key.get("counted", True):
        return "not judged"
    row = {"qid": key["qid"], "answer": text, "status": "answered"}
    [found] = scorer()([row], [key])["details"]
    if not key["answerable"]:
        return "refused" if found["right"] else "wrong"
    return "right" if found["right"] else "wrong"


def by_words(text: str, golds: Sequence[str]) -> Outcome:
    """Return whether one of the right answers stands in `text`, word by word.

    Case, punctuation and articles do not count, as usual for HotpotQA. Where the right answer is
    yes or no, a text that begins with neither is not judged: what it means is not its words.

    >>> by_words("It was the Rutgers University.", ["Rutgers University"])
    'right'
    >>> by_words("Both are.", ["yes"]), by_words("No, only one is.", ["yes"])
    ('not judged', 'wrong')
    """
    said = normal(text)
    wanted = [normal(gold) for gold in golds]
    if set(wanted) & {"yes", "no"}:
        first = said.partition(" ")[0]
        if first not in ("yes", "no"):
            return "not judged"
        return "right" if first in wanted else "wrong"
    return "right" if any(f" {gold} " in f" {said} " for gold in wanted) else "wrong"


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


@kept_once
def _keys(source: str) -> Mapping[str, Row]:
    return {row["qid"]: row for row in keys(source)}
