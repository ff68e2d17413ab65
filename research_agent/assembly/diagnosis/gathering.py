"""All facts about a set-up. Nothing here is changed or repaired, and no error of ours escapes."""

from collections.abc import Callable, Mapping

from research_agent.assembly.diagnosis.calibration import calibration_facts
from research_agent.assembly.diagnosis.facts import Facts, Problem
from research_agent.assembly.diagnosis.indexes import index_facts
from research_agent.assembly.diagnosis.machine import (
    place_facts,
    reply_facts,
    software_facts,
    weight_facts,
)
from research_agent.assembly.diagnosis.models import embedding_facts, model_facts
from research_agent.assembly.diagnosis.network import network_facts
from research_agent.errors import ResearchAgentError
from research_agent.settings import Settings

OnBytes = Callable[[int, int], None]
"""Bytes done and bytes in all, while weights are joined."""


def gather(
    location: str,
    load: Callable[[], Settings],
    environment: Mapping[str, str],
    *,
    ask: bool,
    on_bytes: OnBytes = lambda _done, _of: None,
) -> Facts:
    """Return the facts about the index at `location` and about everything that it is used with.

    With `ask` each model is sent one short question, which joins weights that are not joined yet
    and starts the embedded model. Where `load` cannot read the settings, the defaults are looked
    at and no model is asked.
    """
    problems: tuple[Problem, ...] = ()
    settings = Settings()
    try:
        settings = load()
    except ResearchAgentError as error:
        problems, ask = (Problem(str(error), error.hint),), False
    models, rerank = settings.models, settings.rerank
    reranker = rerank.base_url if rerank.mode == "http" else ""
    return Facts(
        software=software_facts(),
        problems=problems,
        models=model_facts(models, environment, ask=ask, on_bytes=on_bytes),
        embedding=embedding_facts(models, environment, ask=ask),
        index=index_facts(location, exact_below=settings.index.exact_below),
        weights=weight_facts(environment),
        places=place_facts(environment),
        network=network_facts(models, environment, reranker=reranker),
        replies=reply_facts(models.reply_cache, environment),
        calibration=calibration_facts(location, settings),
    )
