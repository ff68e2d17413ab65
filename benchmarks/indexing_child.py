"""`research-agent index`, which says on stderr how long it was inside the embedding model."""

import json
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from research_agent.documents.adapters.sandbox import EagerReader
from research_agent.index.adapters.ledger import writing
from research_agent.interfaces.cli.main import main
from research_agent.models.adapters.minilm import Loaded

P = ParamSpec("P")
T = TypeVar("T")
SECONDS = {"loading": 0.0, "embedding": 0.0, "waiting_for_files": 0.0, "linking": 0.0}


def timed(name: str, function: Callable[P, T]) -> Callable[P, T]:
    """Add the time of each call to SECONDS."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            SECONDS[name] += time.perf_counter() - started

    return run


if __name__ == "__main__":
    Loaded.__init__ = timed("loading", Loaded.__init__)  # type: ignore[method-assign] # (what is measured)
    Loaded.run = timed("embedding", Loaded.run)  # type: ignore[method-assign] # (as above)
    writing.link = timed("linking", writing.link)  # type: ignore[attr-defined] # (as above)
    EagerReader.read = timed("waiting_for_files", EagerReader.read)  # type: ignore[method-assign] # (as above)
    try:
        main()
    finally:
        sys.stderr.write(json.dumps(SECONDS))
