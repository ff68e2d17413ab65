"""Blending codes into a ranking, and where codes come from."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from research_agent.errors import BudgetError, ModelError
from research_agent.ports import JsonSchema
from research_agent.prompts import PromptTemplate
from research_agent.retrieval.reorder.topic_labels import (
    Code,
    CodeBook,
    CodeCache,
    code_channel,
    code_key,
)
from research_agent.types import Completion, Hit, Message, chunk_header
from research_agent.types.blending import Blended, BlendRule, blend
from research_agent.types.evidence import fenced
from research_agent.types.reordering import best_first

AskForJson = Callable[[Sequence[Message], JsonSchema], Completion]
"""Asks a chat model for one JSON object; counts and limits what that costs."""
MAX_CHARS = 1500
"""Characters of a text that a model reads to give it a code."""


class Codes(Protocol):
    """Where the codes of texts come from."""

    def of(self, text: str, *, question: bool = False) -> Code:
        """Return the code of a text, which is a chunk's or a question."""


@dataclass(frozen=True, slots=True)
class Careful:
    """Better codes for the query and its first hits; those of both kinds can be compared."""

    codes: Codes
    candidates: int
    """Hits that get them."""


def blend_codes(
    query: str,
    hits: Sequence[Hit],
    codes: Codes,
    rule: BlendRule,
    *,
    careful: Careful | None = None,
) -> Blended:
    """Blend how well the codes of query and chunk agree into the order of the first hits.

    A query without any label gives no second channel: the order stays, and no chunk gets a code.
    """
    better = careful or Careful(codes, 0)
    asked = better.codes.of(query, question=True)
    found = {
        hit.chunk.chunk_id: (better.codes if at < better.candidates else codes).of(
            f"{chunk_header(hit.chunk)}\n{hit.chunk.text}"
        )
        for at, hit in enumerate(best_first(hits)[: rule.pool] if asked != Code() else ())
    }
    return blend(hits, code_channel(asked, found), rule)


class PatternCodes:
    """Codes by the patterns of a book, found once a text. Implements Codes."""

    def __init__(self, book: CodeBook, cache: CodeCache) -> None:
        """Keep codes in `cache`."""
        self._book, self._cache = book, cache

    def of(self, text: str, *, question: bool = False) -> Code:
        """Return the code of a text."""
        return self._cache.of(text, self._book, question=question)


class ModelCodes:
    """Codes by a chat model, of the same book, asked for once a text. Implements Codes.

    Where the model gives no label of the book for any facet, or cannot be asked, the text gets
    the code of the patterns; `failed` counts these, and they are asked for again another time.
    """

    def __init__(
        self,
        ask: AskForJson,
        prompt: PromptTemplate,
        book: CodeBook,
        cache: CodeCache,
        *,
        model: str,
    ) -> None:
        """Ask with `ask`, in the words of the prompt `code`; `model` names what is asked."""
        self._ask, self._prompt = ask, prompt
        self._book, self._cache, self._model = book, cache, model
        self.failed = 0

    def of(self, text: str, *, question: bool = False) -> Code:
        """Return the code of a text."""
        key = code_key(text, self._book, question=question, model=self._model)
        known = self._cache.codes.get(key)
        if known is None:
            known = self._asked(text)
            if known == Code():
                self.failed += 1
                return self._cache.of(text, self._book, question=question)
            self._cache.codes[key] = known
        return known

    def _asked(self, text: str) -> Code:
        """Return what the model says, no label where it says nothing of use."""
        content = self._prompt.render(
            domains=", ".join(self._book.names("domain")),
            tasks=", ".join(self._book.names("task")),
            modifiers=", ".join(self._book.names("modifier")),
            text=fenced(text[:MAX_CHARS]),
        )
        try:
            reply = self._ask([Message("user", content)], self._book.schema())
            given = json.loads(reply.text)
        except (ModelError, BudgetError, ValueError):
            return Code()
        return self._book.checked(given) if isinstance(given, dict) else Code()
