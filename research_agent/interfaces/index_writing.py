"""What an agent does to its index: files, texts and documents go in, and out again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research_agent.assembly.given_texts import GivenText
from research_agent.assembly.own_index import OwnIndex
from research_agent.errors import ConfigError, ToolInputError
from research_agent.types.documents import IndexReport

if TYPE_CHECKING:
    from langchain_core.documents import Document


class WritesIndex:
    """The part of a ResearchAgent that writes to its index; one process writes at a time."""

    _own_index: OwnIndex | None

    def index(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        rebuild: bool = False,
        prune: bool = False,
    ) -> IndexReport:
        """Index what is new or changed below `paths`; the next question sees it.

        Documents elsewhere stay, and of what is below and gone nothing is kept. With `rebuild` the
        index is made anew from `paths` alone; with `prune` a folder that is empty now takes its
        documents with it. A file that fails is a line of the report. Raises PathError where there
        is nothing to index, IndexLockedError where another process writes, IndexingError,
        ModelError.
        """
        named = [paths] if isinstance(paths, str | Path) else list(paths)
        return self._written().index(named, rebuild=rebuild, prune=prune)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> list[str]:
        """Index texts that no file holds, each as a document; return their ids.

        Of the metadata `source`, `title`, `date`, `page`, `page_label`, `section`, `author` and
        `doi` are kept (docs/embedding.md). A known id is replaced; without `ids` equal texts are
        one. Raises ToolInputError where there are not as many metadata or ids as texts, and what
        `index` raises.
        """
        given = list(texts)
        data = [{}] * len(given) if metadatas is None else list(metadatas)
        names = [""] * len(given) if ids is None else list(ids)
        if not len(given) == len(data) == len(names):
            raise ToolInputError(
                f"{len(given)} texts came with {len(data)} metadata and {len(names)} ids",
                hint="Give one of each for every text, or none at all.",
            )
        made = [GivenText(*one) for one in zip(given, data, names, strict=True)]
        if made:
            self._written().add(made)
        return [one.key for one in made]

    def add_documents(self, documents: "Iterable[Document]") -> list[str]:
        """Index LangChain's documents under their ids, as `add_texts` does; return the ids."""
        given = list(documents)
        return self.add_texts(
            [one.page_content for one in given],
            [one.metadata for one in given],
            ids=[one.id or "" for one in given],
        )

    def delete(self, ids: Collection[str]) -> list[str]:
        """Remove what `add_texts` and `add_documents` added; return the ids that were there.

        Files leave an index with their folder: delete the file and call `index` again.
        """
        return self._written().delete(ids)

    def _written(self) -> OwnIndex:
        if self._own_index is None:
            raise ConfigError(
                "this agent has no index of its own to write to",
                hint="Open it over an index: ResearchAgent.open(name, create=True).",
            )
        return self._own_index
