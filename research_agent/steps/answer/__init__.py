"""Answer: what is written from the evidence, or shown of it, and whether it answers."""

from research_agent.steps.answer.answering import LEAST_TOKENS, aligned_text, answer_question

__all__ = ["LEAST_TOKENS", "aligned_text", "answer_question"]
