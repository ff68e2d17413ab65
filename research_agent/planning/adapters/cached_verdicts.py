"""Verdicts of the filter model on single chunks, kept among the replies of models.

They share the file of the replies, and so its bounds of size and age and its permissions.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from threading import Lock

from research_agent.kept_replies import is_asked_anew
from research_agent.ports import KeptReply, ReplyCache
from research_agent.types import Completion, ModelCall


class KeptDecisions:
    """Implements DecisionCache; a cache that fails (OSError, ValueError) is an empty one."""

    def __init__(
        self,
        cache: ReplyCache,
        identity: str,
        *,
        on_problem: Callable[[str], None] = lambda _problem: None,
    ) -> None:
        self._cache, self._identity, self._on_problem = cache, identity, on_problem
        self._told = False
        self._lock = Lock()

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return what is kept under those of `keys` that are known; nothing to ask anew."""
        found: dict[str, str] = {}
        for key in () if is_asked_anew() else dict.fromkeys(keys):
            try:
                if kept := self._cache.get(self._key(key)):
                    found[key] = kept.reply.text
            except (OSError, ValueError) as error:
                self._tell(error)
                if isinstance(error, OSError):
                    break
        return found

    def put(self, decisions: Mapping[str, str]) -> None:
        """Keep decisions; those that are there already are replaced."""
        try:
            for key, decision in decisions.items():
                reply = KeptReply(Completion(decision, ModelCall("filter")), 0.0)
                self._cache.put(self._key(key), reply)
        except (OSError, ValueError) as error:
            self._tell(error)

    def _key(self, key: str) -> str:
        return sha256(f"decision\0{self._identity}\0{key}".encode()).hexdigest()

    def _tell(self, error: OSError | ValueError) -> None:
        """Say once what is wrong; what a ValueError says may hold the text of a document."""
        with self._lock:
            already, self._told = self._told, True
        if not already:
            reason = "a kept verdict cannot be read"
            if isinstance(error, OSError):
                reason = error.strerror or str(error)
            self._on_problem(f"the cache of the filter's verdicts failed: {reason}")
