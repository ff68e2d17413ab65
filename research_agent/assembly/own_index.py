"""What a program does to the index that its agent has open."""

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from research_agent.assembly.given_texts import GivenText, GivenTexts
from research_agent.assembly.known_vectors import embedding_cache
from research_agent.assembly.sources import sources
from research_agent.assembly.updating import Indexer
from research_agent.errors import ToolInputError
from research_agent.ports import Embedder
from research_agent.settings import Settings
from research_agent.text.addresses import is_web
from research_agent.text.paths import added_id, is_bucket
from research_agent.types.documents import IndexReport


@dataclass(frozen=True, slots=True)
class OwnIndex:
    """An index by name or path, and what it is written with; see ResearchAgent's methods."""

    location: str
    settings: Settings
    embedder: Embedder
    environment: Mapping[str, str]

    def create(self) -> None:
        """Publish an index without documents where there is none; raises IndexingError."""
        with self._indexer().written(self.location) as writer:
            writer.publish({}, ())

    def index(
        self, paths: str | Path | Iterable[str | Path], *, rebuild: bool, prune: bool
    ) -> IndexReport:
        """Index what is new or changed below `paths`; see `Indexer.update`."""
        named = map(str, [paths] if isinstance(paths, str | Path) else paths)
        expanded = [
            path if is_web(path) or is_bucket(path) else str(Path(path).expanduser())
            for path in named
        ]
        with (
            sources(expanded, self.settings, self.environment) as (found, _),
            embedding_cache(self.environment) as cache,
        ):
            indexer = replace(self._indexer(), files=found, reader=found, cache=cache)
            return indexer.update(self.location, expanded, rebuild=rebuild, prune=prune)

    def add(
        self,
        texts: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]] | None,
        ids: Sequence[str] | None,
    ) -> list[str]:
        """Index texts that no file holds; one whose id is known takes the other's place.

        Warns of each text that holds nothing, or of which something is not read.
        """
        data = [{}] * len(texts) if metadatas is None else metadatas
        names = [""] * len(texts) if ids is None else ids
        if not len(texts) == len(data) == len(names):
            given = {"metadata": metadatas, "ids": ids}
            came = [f"{len(few)} {name}" for name, few in given.items() if few is not None]
            raise ToolInputError(
                f"{len(texts)} texts came with {' and '.join(came)}",
                hint="Give one of each for every text, or none at all.",
            )
        if wrong := [one for one in texts if not isinstance(one, str)]:
            raise ToolInputError(f"a text has to be a str, not {type(wrong[0]).__name__}")
        entries = list(map(GivenText, texts, data, names))
        keys = [entry.key for entry in entries]
        if entries:
            files = GivenTexts(entries)
            indexer = replace(self._indexer(), files=files, reader=files)
            for one in indexer.update(self.location, list(files.texts)).files:
                if one.reason:
                    warnings.warn(f"the text {added_id(one.path)!r}: {one.reason}", stacklevel=3)
            self._remove(lambda path: added_id(path) in keys and path not in files.texts)
        return keys

    def delete(self, ids: Collection[str]) -> list[str]:
        """Remove added texts by their ids; return those that were there."""
        wanted = set(ids) - {""}
        return sorted({added_id(path) for path in self._remove(lambda p: added_id(p) in wanted)})

    def _remove(self, unwanted: Callable[[str], bool]) -> list[str]:
        with self._indexer().written(self.location) as writer:
            gone = {one.key: one.path for one in writer.documents() if unwanted(one.path)}
            if gone:
                writer.publish({}, gone)
        return [*gone.values()]

    def _indexer(self) -> Indexer:
        none = GivenTexts(())
        return Indexer(settings=self.settings, embedder=self.embedder, files=none, reader=none)
