"""Sentences with the text each is checked against, as features of the grounding score."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.places import DATA
from benchmarks.questions import Row
from research_agent.ports import SentencePairs
from research_agent.text.content_words import content_words, share_held, wanted_words
from research_agent.text.quote_search import windows
from research_agent.types import Chunk
from research_agent.verification.grounding import compare, features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROWS = DATA / "grounding" / "pairs_dev.jsonl"
KEEP_EVERY = 100
"""Rows after which new scores are written."""


@dataclass(frozen=True, slots=True)
class Data:
    """One place of each array is one sentence."""

    values: "NDArray[np.float64]"
    """Features, in the order of `FEATURES`."""
    coverage: "NDArray[np.float64]"
    """Share of the sentence's words that its best one to three sentences hold."""
    whole: "NDArray[np.float64]"
    """Share of the sentence's words that stand anywhere in the text."""
    supported: "NDArray[np.int64]"
    family: "NDArray[np.str_]"
    """The source's name before its first hyphen."""
    group: "NDArray[np.int64]"
    """Sentences of one document have one number."""
    contradicted: "NDArray[np.bool_]"


class KeptPairs:
    """Scores of pairs, each computed once and kept in a file."""

    def __init__(self, pairs: SentencePairs, folder: str) -> None:
        """Keep scores in `folder`; nowhere if it is empty."""
        self._pairs = pairs
        self._path = Path(folder, "pairs.json") if folder else None
        self._known: dict[str, float] = {}
        if self._path and self._path.is_file():
            self._known = json.loads(self._path.read_bytes())

    @property
    def digest(self) -> str:
        """Which models."""
        return self._pairs.digest

    def relevance(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the cross-encoder's logits."""
        return self._all("relevance", self._pairs.relevance, sentence, passages)

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the soft coverage."""
        return self._all("soft", self._pairs.soft_coverage, sentence, passages)

    def keep(self) -> None:
        """Write what is known."""
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._known), encoding="utf-8")

    def _all(
        self,
        kind: str,
        ask: Callable[[str, Sequence[str]], Sequence[float]],
        sentence: str,
        passages: Sequence[str],
    ) -> list[float]:
        text = f"{kind}\0{self.digest}\0{sentence}"
        keys = [sha256(f"{text}\0{one}".encode()).hexdigest()[:24] for one in passages]
        if not all(key in self._known for key in keys):
            self._known.update(zip(keys, ask(sentence, passages), strict=True))
        return [self._known[key] for key in keys]


def data(rows: Sequence[Row], pairs: KeptPairs) -> Data:
    """Return the features of rows and what is known of them."""
    import numpy as np

    places = {doc: place for place, doc in enumerate(dict.fromkeys(map(_document, rows)))}
    measured = []
    for number, row in enumerate(rows, start=1):
        measured.append(_measured(row, pairs))
        if number % KEEP_EVERY == 0:
            pairs.keep()
            print(f"{number} of {len(rows)} sentences", flush=True)
    pairs.keep()
    values, coverage, whole, contradicted = zip(*measured, strict=True)
    return Data(
        values=np.array(values),
        coverage=np.array(coverage),
        whole=np.array(whole),
        supported=np.array([int(row["label"] == "supported") for row in rows]),
        family=np.array([row["source"].split("-")[0] for row in rows]),
        group=np.array([places[_document(row)] for row in rows]),
        contradicted=np.array(contradicted),
    )


def _document(row: Row) -> tuple[str, str]:
    return str(row["source"]), str(row["doc"])


def _measured(row: Row, pairs: SentencePairs) -> tuple[tuple[float, ...], float, float, bool]:
    """Return the features of a row, its coverage by a window and by all, and a contradiction."""
    sentence, chunk = str(row["sentence"]), Chunk("", "", str(row["evidence"]))
    found = compare(sentence, {"c1": chunk})
    values = features(
        found,
        pairs.relevance(sentence, found.passages),
        pairs.soft_coverage(sentence, found.passages),
    )
    whole = share_held(sentence, content_words(chunk.text))
    wanted = tuple(wanted_words(sentence))
    held = max((window.held.bit_count() for window in windows(wanted, chunk)), default=0)
    return values, held / max(len(wanted), 1), whole, bool(found.contradiction)
