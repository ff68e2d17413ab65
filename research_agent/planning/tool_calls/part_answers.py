"""The answer to one part of a question, copied by a model out of what the part's search found."""

from collections.abc import Mapping

from research_agent.metering import Meter
from research_agent.ports import Ports
from research_agent.prompts import PromptTemplate
from research_agent.types import Message
from research_agent.types.calls import CallResult
from research_agent.types.evidence import fenced
from research_agent.types.multi_hop import HITS, MAX_ANSWER, PartAnswer, read_answer, readable_text

MAX_TOKENS = 60
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"answer": {"type": "string", "maxLength": MAX_ANSWER}},
    "required": ["answer"],
    "additionalProperties": False,
}
"""What the planner model replies when it fills a gap in a query."""


def answer_part(
    result: CallResult, meter: Meter, ports: Ports, prompt: PromptTemplate
) -> PartAnswer:
    """Return what the hits of one call answer to its query; raises ModelError, BudgetError."""
    hits = result.hits[:HITS]
    if not hits:
        return PartAnswer()
    evidence = "\n\n".join(fenced(readable_text(hit)) for hit in hits)
    text = prompt.render(question=result.call.query, evidence=evidence)
    reply = meter.ask(
        ports.planner,
        "planner",
        [Message("user", text)],
        max_tokens=MAX_TOKENS,
        schema=SCHEMA,
    )
    return read_answer(reply.text, result.call.query, hits)
