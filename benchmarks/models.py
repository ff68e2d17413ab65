"""The product's models without an index."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from research_agent.assembly.models.connecting import Models, connect_models
from research_agent.settings import Settings


@contextmanager
def opened_models(settings: Settings) -> Iterator[Models]:
    """Yield the models of every role, and end them afterwards."""
    models = connect_models(
        settings.models,
        environment=os.environ,
        on_progress=lambda _done, _of: None,
    )
    try:
        yield models
    finally:
        models.close()
