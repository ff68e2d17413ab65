"""provisional"""
from research_agent.core.grounding import Grounded
from research_agent.core.quote_search import best_quotes


def ground(sentences, chunks, *, pairs, embedder, model):
    found = []
    for sentence in sentences:
        quotes = {k: q[0] for k, c in chunks.items() if (q := best_quotes(sentence, c))}
        found.append(Grounded(max((q.score for q in quotes.values()), default=0.0), (), quotes))
    return tuple(found)
