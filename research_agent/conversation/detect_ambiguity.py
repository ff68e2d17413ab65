"""Look: whether a question fits several documents or sections alike, by one search."""

from research_agent.conversation.ambiguity import clarify
from research_agent.errors import ModelError
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import Hit
from research_agent.types.conversation import Choices, FollowUp
from research_agent.types.scope import Scope


def look(asked: FollowUp, scope: Scope, *, ports: Ports, settings: Settings) -> Choices:
    """Return what a person has to choose between; nothing where `sessions.clarify` is off.

    The search is by meaning alone, and no language model is asked. Without an embedder nothing is
    asked back: whether the question can be answered without one is for the search to tell.
    """
    chosen = settings.sessions
    if chosen.clarify == "off":
        return Choices()
    try:
        vector = ports.embedder.embed([asked.question])[0]
    except ModelError:
        return Choices()
    found = ports.vectors.search(vector, k=settings.retrieval.top_k)
    similar = {item.chunk_id: item.value for item in found}
    chunks = ports.chunks.chunks(list(similar))
    hits = [Hit(c, similarity=similar[c.chunk_id]) for c in chunks if scope.admits(c)]
    return clarify(
        asked.question, hits, margin=chosen.clarify_margin, max_words=chosen.clarify_words
    )
