"""An index and the models to the ports an agent runs on."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Self

from research_agent.adapters.system import SystemClock
from research_agent.adapters.tokens import Cl100k
from research_agent.assembly.index import open_index
from research_agent.assembly.latest import LatestIndex
from research_agent.assembly.models import connect_models
from research_agent.ports import Ports
from research_agent.settings import Settings

OnBytes = Callable[[int, int], None]
"""Bytes done and bytes in all, while weights are joined."""


class Connection:
    """Open ports; close it, or use it in a `with` block."""

    def __init__(self, ports: Ports, close: Callable[[], None]) -> None:
        """Keep what has to be closed."""
        self.ports = ports
        self.close = close

    def __enter__(self) -> Self:
        """Return the connection itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close everything."""
        self.close()


def connect(
    location: str,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    on_bytes: OnBytes = lambda _done, _of: None,
) -> Connection:
    """Open the index at `location` and the models that `settings` name.

    No model is started before it is asked. Raises IndexingError, ConfigError, ModelError.
    """
    with ExitStack() as opened:
        models = connect_models(settings.models, environment=environment, on_progress=on_bytes)
        opened.callback(models.close)
        index = LatestIndex(partial(open_index, location, settings, embedder=models.embedder))
        opened.callback(index.close)
        ports = Ports(
            answerer=models.answerer,
            planner=models.planner,
            filterer=models.filterer,
            verifier=models.verifier,
            embedder=models.embedder,
            vectors=index,
            lexical=index.lexical,
            chunks=index,
            tokenizer=Cl100k(),
            clock=SystemClock(),
        )
        return Connection(ports, opened.pop_all().close)
