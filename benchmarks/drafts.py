"""First drafts of two models, and which of their sentences grounding marks.

A recording (`recordings/drafts-*.jsonl`) holds the evidence and the model's answer with its
log-probabilities, so a later version of the product judges the same answers again without index
and model. A mark helps where sentences of wrong drafts have more of them than those of right ones.
"""

import re
import string
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

import click
from pydantic import TypeAdapter

from benchmarks.common import RECORDINGS, STRONG, Row, keep, markdown, nist_keys, read, scorer
from benchmarks.datasets import MULTIHOP
from benchmarks.figures import told_share
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.text.missing_parts import read_missing
from research_agent.types.claims import Claim, bare
from research_agent.types.evidence import Evidence
from research_agent.types.verification import Answer, Draft
from research_agent.verification.adapters.grounding_file import read_grounding
from research_agent.verification.step import grounded_claims

Outcome = Literal["right", "wrong", "refused", "not judged"]
ARTICLES = re.compile(r"\b(?:a|an|the)\b")
NO_DRAFT = Draft()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question and the first draft of its answer."""

    source: str
    qid: str
    question: str
    weights: str
    evidence: tuple[Evidence, ...]
    answer: Answer
    best: Draft = NO_DRAFT
    """As it was judged; without claims where it was recorded before."""

    @property
    def is_draft(self) -> bool:
        """Whether the model has answered; a refusal by its words or for the scope is none."""
        given = bool(self.answer.text) and self.answer.refused != "wrong_scope"
        return given and not read_missing(self.answer.text).is_refusal


ASKED = TypeAdapter(Asked)


def recorded(weights: str) -> list[Asked]:
    """Return the drafts that are recorded of some weights."""
    rows = map(ASKED.validate_python, read(RECORDINGS / f"drafts-{weights}.jsonl"))
    return [asked for asked in rows if asked.is_draft]


def outcome(asked: Asked, text: str) -> Outcome:
    """Return whether `text` is right by the key of its question."""
    key = _keys(asked.source)[asked.qid]
    if asked.source == "nist":
        return by_facts(text, key)
    return by_words(text, (key["answer"], *key["aliases"]))


@cache
def _keys(source: str) -> Mapping[str, Row]:
    rows = nist_keys() if source == "nist" else read(MULTIHOP / source / "questions.jsonl")
    return {row["qid"]: row for row in rows}


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
    """Return whether one of the right answers is in `text`, word by word.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """What became of the sentences of one draft."""

    model: str
    way: str
    """By the score alone, or as a judging model left it."""
    source: str
    qid: str
    draft: Outcome
    supported: int
    unconfirmed: int
    contradicted: int


@click.command("marks")
@click.option("--weights", "models", multiple=True, default=["1.5b", STRONG], help="Drafts of.")
def marks_command(*, models: tuple[str, ...]) -> None:
    """Measure which sentences of right and of wrong drafts are marked."""
    rows = [row for model in models for row in marked(model)]
    text = table(rows)
    keep("marks", map(asdict, rows), text)
    print(text)


def marked(model: str) -> Iterator[Marked]:
    """Ground all recorded drafts of a model anew."""
    pairs, fitted = CrossEncoder(MiniLM()), read_grounding()
    for asked in recorded(model):
        claims = grounded_claims(asked.answer, asked.evidence, pairs, fitted, limit=fitted.limit)
        ways: dict[str, Sequence[Claim]] = {"score": claims, "score and judge": asked.best.claims}
        for way, judged in ways.items():
            verdicts = [claim.verdict for claim in judged]
            if verdicts:
                yield Marked(
                    model=model,
                    way=way,
                    source=asked.source,
                    qid=asked.qid,
                    draft=outcome(asked, bare(asked.answer.text)),
                    supported=verdicts.count("supported"),
                    unconfirmed=verdicts.count("unconfirmed"),
                    contradicted=verdicts.count("contradicted"),
                )


def table(rows: Sequence[Marked]) -> str:
    """Return the right and wrong drafts of each model and set, with trivial baselines."""
    groups: dict[tuple[str, ...], list[Marked]] = {}
    for row in rows:
        if row.draft in ("right", "wrong"):
            for source in (row.source, "all"):
                groups.setdefault((row.model, row.way, source, row.draft), []).append(row)
    lines = []
    for key, group in sorted(groups.items()):
        marks = sum(row.unconfirmed + row.contradicted for row in group)
        sentences = marks + sum(row.supported for row in group)
        none = sum(not row.supported for row in group)
        contradicted = str(sum(row.contradicted for row in group))
        figures = (told_share(marks, sentences), contradicted, told_share(none, len(group)))
        lines.append([*key, str(len(group)), *figures])
    heads = ["model", "by", "questions of", "drafts", "how many", "sentences marked"]
    heads += ["contradicted", "no sentence supported"]
    note = "To mark nothing catches 0 % of all, to mark everything 100 %, at the same rate of both."
    return "\n\n".join((markdown(heads, lines), note))
