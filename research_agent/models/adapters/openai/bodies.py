"""Bodies of replies, never longer than they may be. Imported where a reply arrives only."""

from collections.abc import Iterator

from httpx2 import SyncByteStream

from research_agent.errors import ModelReplyError


class LimitedBody(SyncByteStream):
    """The body of a reply; reading more than `limit` bytes of it raises ModelReplyError."""

    def __init__(self, body: SyncByteStream, limit: int) -> None:
        """Give what `body` gives."""
        self._body, self._limit = body, limit

    def __iter__(self) -> Iterator[bytes]:
        """Read the parts as they come."""
        read = 0
        for part in self._body:
            read += len(part)
            if read > self._limit:
                raise too_large(self._limit)
            yield part

    def close(self) -> None:
        """Read no further."""
        self._body.close()


class ErrorBody(LimitedBody):
    """The body of an error: its beginning, as far as it comes. The status counts."""

    def __iter__(self) -> Iterator[bytes]:
        """Read the parts up to the limit, or until the connection breaks."""
        try:
            yield from super().__iter__()
        except Exception:  # noqa: BLE001 (whatever ends the body, the error itself has arrived)
            return


def too_large(limit: int) -> ModelReplyError:
    """Return the error for a reply of more than `limit` bytes."""
    return ModelReplyError(
        f"the model server's reply is too large (more than {limit // 1024} KB)",
        hint="Is the address that of a model server? (base_url) Where the reply was meant to be "
        "long, raise answer.max_tokens.",
    )
