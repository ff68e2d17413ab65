"""Answer: what is written from the evidence, or shown of it, and whether it answers."""

from research_agent.steps.answer.aligning import aligned_text
from research_agent.steps.answer.answering import answer_question
from research_agent.steps.answer.writing import LEAST_TOKENS

__all__ = ["LEAST_TOKENS", "aligned_text", "answer_question"]
