"""What a program does to the index that its agent has open."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from research_agent.assembly.given_texts import GivenText, GivenTexts
from research_agent.assembly.known_vectors import embedding_cache
from research_agent.assembly.sources import sources
from research_agent.assembly.updating import Indexer
from research_agent.ports import Embedder
from research_agent.settings import Settings
from research_agent.text.addresses import is_web
from research_agent.text.paths import added_id
from research_agent.types.documents import IndexReport


@dataclass(frozen=True, slots=True)
class OwnIndex:
    """An index by name or path, and what it is written with."""

    location: str
    settings: Settings
    embedder: Embedder
    environment: Mapping[str, str]

    def create(self) -> None:
        """Publish an index without documents where there is none; raises IndexingError."""
        with self._indexer(GivenTexts(())).written(self.location) as writer:
            writer.publish({}, ())

    def index(
        self, paths: Sequence[str | Path], *, rebuild: bool = False, prune: bool = False
    ) -> IndexReport:
        """Index what is new or changed below `paths`; see `Indexer.update`."""
        given = [one if is_web(one) else str(Path(one).expanduser()) for one in map(str, paths)]
        with (
            sources(given, self.settings, self.environment) as found,
            embedding_cache(self.environment) as cache,
        ):
            indexer = replace(
                self._indexer(GivenTexts(())),
                files=found.files,
                reader=found.reader,
                cache=cache,
            )
            return indexer.update(self.location, given, rebuild=rebuild, prune=prune)

    def add(self, texts: Sequence[GivenText]) -> IndexReport:
        """Index texts that no file holds; one whose id is known takes the other's place."""
        given = GivenTexts(texts)
        report = self._indexer(given).update(self.location, list(given.texts))
        ids = {one.key for one in texts}
        self._remove(lambda path: added_id(path) in ids and path not in given.texts)
        return report

    def delete(self, ids: Collection[str]) -> list[str]:
        """Remove added texts by their ids; return those that were there."""
        wanted = set(ids) - {""}
        return sorted({added_id(path) for path in self._remove(lambda p: added_id(p) in wanted)})

    def _remove(self, unwanted: Callable[[str], bool]) -> list[str]:
        """Remove the documents whose path is unwanted; return their paths."""
        with self._indexer(GivenTexts(())).written(self.location) as writer:
            gone = {one.key: one.path for one in writer.documents() if unwanted(one.path)}
            if gone:
                writer.publish({}, gone)
        return [*gone.values()]

    def _indexer(self, texts: GivenTexts) -> Indexer:
        return Indexer(settings=self.settings, embedder=self.embedder, files=texts, reader=texts)
