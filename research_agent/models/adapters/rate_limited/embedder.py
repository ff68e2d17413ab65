"""An embedding model at a server that is asked again after a fault, within limits."""

from collections.abc import Sequence

from research_agent.models.adapters.rate_limited.server import Server
from research_agent.models.deadlines import FIRST_SECONDS
from research_agent.ports import Embedder, TextWindows


class ManagedEmbedder:
    """Stands in front of an embedding model at a server; implements Embedder.

    A request's own deadline is the wrapped model's. No further try is begun when a call has
    taken `seconds`.
    """

    def __init__(
        self, embedder: Embedder, server: Server, *, seconds: float = FIRST_SECONDS
    ) -> None:
        """Ask `embedder` at `server`."""
        self._embedder, self._server, self._seconds = embedder, server, seconds

    @property
    def name(self) -> str:
        """Which model: an index refuses vectors of another one."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector a text; raises the ModelError of the last try."""
        if not texts:
            return []
        served = self._server.ask(
            lambda _seconds: self._embedder.embed(texts), None, seconds=self._seconds
        )
        return served.value


class _WindowedEmbedder(ManagedEmbedder):
    """One whose model also says how long texts are cut."""

    def __init__(
        self, embedder: Embedder, cutter: TextWindows, server: Server, *, seconds: float
    ) -> None:
        """Ask `embedder` at `server`, and cut as `cutter` does."""
        super().__init__(embedder, server, seconds=seconds)
        self._cutter = cutter

    def windows(self, text: str, *, header: str = "") -> Sequence[str]:
        """Return the texts to embed for `text`; nothing is sent for that."""
        return self._cutter.windows(text, header=header)


def managed_embedder(
    embedder: Embedder, server: Server, *, seconds: float = FIRST_SECONDS
) -> ManagedEmbedder:
    """Return `embedder` behind `server`'s limits; it has `windows` where `embedder` has."""
    if isinstance(embedder, TextWindows):
        return _WindowedEmbedder(embedder, embedder, server, seconds=seconds)
    return ManagedEmbedder(embedder, server, seconds=seconds)
