"""Counting tokens with tiktoken and the cl100k ranks that are shipped with the package."""

from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from research_agent.errors import ModelMissingError

_RANKS = "cl100k_base.tiktoken"
_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


class Cl100k:
    """Tokens of OpenAI's cl100k vocabulary: exact for its models, an estimate for others."""

    def count(self, text: str) -> int:
        """Return the number of tokens; what looks like a special token counts as text.

        Raises ModelMissingError where the package's data file is not the expected one.
        """
        return len(_encoder()(text))


@cache
def _encoder() -> Callable[[str], Sequence[int]]:
    """Load the ranks once. No special token is known, so none is ever read out of a text.

    They are not read with tiktoken's own loader: that one copies every file to a shared
    temporary folder.
    """
    from tiktoken import Encoding

    resource = files("research_agent") / "data" / _RANKS
    content = resource.read_bytes() if resource.is_file() else b""
    if sha256(content).hexdigest() != _SHA256:
        raise ModelMissingError(
            f"The token ranks {_RANKS} are missing or not the expected file.",
            hint="Reinstall it: pip install --force-reinstall research-agent",
        )
    rows = (line.split() for line in content.splitlines())
    ranks = {b64decode(token): int(rank) for token, rank in rows}
    encoding = Encoding("cl100k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    return encoding.encode_ordinary
