"""An index and the models to the ports an agent runs on."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from research_agent.assembly.calibration import Calibrated, calibrated
from research_agent.assembly.edited_files import IndexedFile, edited_files
from research_agent.assembly.embedding_choice import as_indexed
from research_agent.assembly.given_texts import chunks_of
from research_agent.assembly.index import LatestIndex, open_index
from research_agent.assembly.known_vectors import RecentEmbedder
from research_agent.assembly.models.connecting import (
    OnNote,
    connect_models,
    connect_reranker,
    for_queries,
)
from research_agent.assembly.models.given import NOTHING_GIVEN, Given
from research_agent.assembly.models.roles import check_prices
from research_agent.assembly.own_index import OwnIndex
from research_agent.closeable import Closing
from research_agent.errors import IndexingError, IndexMissingError
from research_agent.models.adapters.langchain.retrieval import LangChainReranker, RetrievedChunks
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.models.adapters.system_clock import SystemClock
from research_agent.models.adapters.tokens import Cl100k
from research_agent.ports import Ports
from research_agent.retrieval.adapters.blend_lines import BlendLines
from research_agent.settings import Settings
from research_agent.types.records import IndexHeader
from research_agent.verification.adapters.grounding_file import read_grounding

OnBytes = Callable[[int, int], None]
"""Bytes done and bytes in all, while weights are joined."""


def described(header: IndexHeader) -> str:
    """Return words that change whenever an index does."""
    size = f"{header.documents} documents, {header.chunks} chunks, generation {header.generation}"
    return ", ".join(filter(None, (size, header.changed, header.model)))


@dataclass(frozen=True)
class Connection(Closing):
    """Open ports; close it, or use it in a `with` block."""

    ports: Ports
    settings: Settings
    """Those that were given, with what was fitted to this index in place of defaults."""
    closing: Callable[[], None]
    header: Callable[[], IndexHeader]
    """What the index says about itself as it is open now."""
    own_index: OwnIndex | None = None
    """What the index is written with; None over a retriever."""
    files: Callable[[Collection[str]], Sequence[IndexedFile]] = lambda _: ()
    """The files of the index at some paths, as they were read."""

    def edited(self, paths: Collection[str]) -> tuple[str, ...]:
        """Return those of `paths` whose files were edited, moved or deleted since."""
        try:
            return edited_files(self.files(paths))
        except IndexingError:
            return ()

    def close(self) -> None:
        """Close the index and the models, and end the embedded one."""
        self.closing()


def connect(
    location: str,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    on_bytes: OnBytes = lambda _done, _of: None,
    on_note: OnNote = lambda _note: None,
    given: Given = NOTHING_GIVEN,
) -> Connection:
    """Open the index at `location` and the models that `settings` name.

    What is `given` takes the place of what the settings name; a retriever that of the index. No
    model is started before it is asked. Raises IndexingError, ConfigError, ModelError.
    """
    settings = given.over(settings)
    check_prices(settings)
    with ExitStack() as opened:
        models = connect_models(
            settings.models if given.retriever else as_indexed(location, settings.models),
            environment=environment,
            on_progress=on_bytes,
            on_note=on_note,
            seconds=settings.budget.seconds,
            given=given,
        )
        opened.callback(models.close)
        reranker = (
            LangChainReranker(given.reranker)
            if given.reranker
            else connect_reranker(settings.rerank, environment, offline=settings.models.offline)
        )
        index: LatestIndex | RetrievedChunks
        fitted, own_index = Calibrated(settings), None
        if given.retriever:
            read = partial(chunks_of, chunk_chars=settings.documents.chunk_chars)
            seconds = settings.budget.seconds
            index = RetrievedChunks(given.retriever, read, models.embedder, seconds=seconds)
        else:
            own_index = OwnIndex(location, settings, models.embedder, environment)
            opening = partial(open_index, location, settings, embedder=models.embedder)
            try:
                index = LatestIndex(opening)
            except IndexMissingError:
                if not given.create:
                    raise
                own_index.create()
                index = LatestIndex(opening)
            opened.callback(index.close)
            fitted = calibrated(location, settings, index.header)
        told = settings.blend.diagnostics if settings.blend.mode != "off" else ""
        lines = opened.enter_context(BlendLines(told, on_problem=on_note)) if told else None
        pairs = CrossEncoder(MiniLM())
        ports = Ports(
            answerer=models.answerer,
            planner=models.planner,
            filterer=models.filterer,
            verifier=models.verifier,
            sampler=models.sampler,
            embedder=RecentEmbedder(for_queries(models.embedder)),
            vectors=index,
            lexical=index.lexical,
            chunks=index,
            tokenizer=Cl100k(),
            clock=SystemClock(),
            pairs=pairs,
            grounding=read_grounding(cross_encoder=pairs.digest),
            reranker=reranker,
            blend_log=lines,
            decisions=models.decisions,
            documents=index.documents,
            contents=index.contents,
            index_state=lambda: described(index.header),
            warnings=lambda: (*index.warnings, *filter(None, [fitted.warning(index.header)])),
        )
        return Connection(
            ports,
            fitted.settings,
            opened.pop_all().close,
            lambda: index.header,
            own_index,
            index.files if isinstance(index, LatestIndex) else lambda _: (),
        )
