"""Verify: the claims of a draft, how well they are supported, and what follows."""

from research_agent.steps.verify.verifying import verify_answer

__all__ = ["verify_answer"]
