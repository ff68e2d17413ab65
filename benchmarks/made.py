"""Whether questions that `eval make` wrote rank configurations as hand-made ones do.

Ten configurations of the search, fixed before any of them was run on either set. Each set ranks
them by mean nDCG@10; the two orders are compared by Kendall's tau-b.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.common import CACHE, QUESTIONS, RESULTS, folder, table_of
from benchmarks.datasets import data_set
from benchmarks.retrieval import opened
from research_agent.config import load_prompts
from research_agent.context import RunContext
from research_agent.evaluation.questions import Question, read_questions
from research_agent.evaluation.rows import Seen, searched
from research_agent.interfaces.evaluation.running import ranked
from research_agent.ports import Ports
from research_agent.presets import changed
from research_agent.settings import Settings

COLLECTIONS = ("nist", "indonesian", "hotpotqa")
PLAIN = {"retrieval.question_kinds": False}
CONFIGS: Mapping[str, Mapping[str, object]] = {
    "meaning, plain": {"retrieval.mode": "dense", **PLAIN},
    "words, plain": {"retrieval.mode": "lexical", **PLAIN},
    "both, plain": PLAIN,
    "both, plain, rrf_k 60": {"retrieval.rrf_k": 60, **PLAIN},
    "meaning": {"retrieval.mode": "dense"},
    "words": {"retrieval.mode": "lexical"},
    "both (default)": {},
    "both, cross-encoder": {"rerank.mode": "cross-encoder"},
    "both, promotion": {"rerank.mode": "promote"},
    "both, blended with words": {"blend.mode": "words", "blend.alpha": 0.5},
}
"""What is ranked; "plain" recognises no kinds of questions."""
METRIC = "ndcg@10"
SEED, RESAMPLES = 20261123, 2000
Scores = NDArray[np.float64]
"""A row a question, a column a configuration."""


def hand_made(name: str) -> list[Question]:
    """Return the hand-made questions of a collection, by the revised key where there is one."""
    found = data_set(name).questions
    return [Question(qid=q.qid, text=q.text, golds=q.accepted or q.golds) for q in found]


def made(name: str) -> list[Question]:
    """Return the questions that `eval make` wrote, those with an answer."""
    path = QUESTIONS / f"made-{name}.jsonl"
    return [q for q in read_questions(path.read_text("utf-8"), path.name) if q.golds]


def scored(questions: Sequence[Question], ports: Ports) -> Scores:
    """Return what each configuration comes to on each question."""
    prompts = load_prompts()
    runs = [RunContext(ports, changed(Settings(), keys), prompts) for keys in CONFIGS.values()]
    return np.array(
        [
            [searched(q, Seen(ranked=ranked(q.text, run))).scores[METRIC] for run in runs]
            for q in questions
        ]
    )


def tau(left: Sequence[float] | Scores, right: Sequence[float] | Scores) -> float:
    """Return Kendall's tau-b of two lists of scores; 0 where one of them has ties alone.

    >>> tau([1, 2, 3], [1, 2, 3]), tau([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    pairs = list(combinations(range(len(left)), 2))
    one, two = (np.sign([of[a] - of[b] for a, b in pairs]) for of in (left, right))
    norm = np.sqrt((one != 0).sum() * (two != 0).sum())
    return float((one * two).sum() / norm) if norm else 0.0


def resampled(left: Scores, right: Scores) -> tuple[float, float]:
    """Return the 95 % interval of tau where the questions of both sets are drawn anew."""
    dice = np.random.default_rng(SEED)
    found = [
        tau(*(of[dice.integers(0, len(of), len(of))].mean(axis=0) for of in (left, right)))
        for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


def halves(scores: Scores) -> float:
    """Return the mean tau of two random halves of one set: as near as sets of its size come."""
    dice, middle = np.random.default_rng(SEED), len(scores) // 2
    drawn = (scores[dice.permutation(len(scores))] for _ in range(RESAMPLES))
    return float(np.mean([tau(s[:middle].mean(axis=0), s[middle:].mean(axis=0)) for s in drawn]))


def row(name: str, hand: Scores, own: Scores) -> dict[str, str]:
    """Return one collection's row."""
    by_hand, by_made = hand.mean(axis=0), own.mean(axis=0)
    low, high = resampled(hand, own)
    names = list(CONFIGS)
    chosen = int(by_made.argmax())
    return {
        "collection": name,
        "hand-made": str(len(hand)),
        "made": str(len(own)),
        "tau (95 %)": f"{tau(by_hand, by_made):.2f} ({low:.2f} to {high:.2f})",
        "halves of the hand-made": f"{halves(hand):.2f}",
        "best by the made set": names[chosen],
        "what it loses by hand": f"{by_hand.max() - by_hand[chosen]:.3f}",
    }


@click.command("made")
@click.option("--data", "names", multiple=True, type=click.Choice(COLLECTIONS))
@CACHE
def made_command(*, names: tuple[str, ...], cache: str) -> None:
    """Compare the order of ten configurations by made and by hand-made questions."""
    rows, means = [], [{"configuration": name} for name in CONFIGS]
    with folder(cache) as place:
        for name in names or COLLECTIONS:
            with opened(name, Path(place), Settings()) as ports:
                hand, own = scored(hand_made(name), ports), scored(made(name), ports)
            rows.append(row(name, hand, own))
            for at, line in enumerate(means):
                both = f"{hand[:, at].mean():.3f}, {own[:, at].mean():.3f}"
                means[at] = {**line, f"{name}: hand, made": both}
    text = f"{table_of(rows)}\n\n{table_of(means)}\n"
    if not names:
        (RESULTS / "made.md").write_text(text, encoding="utf-8")
    print(text)
