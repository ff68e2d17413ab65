"""Align: a reply's text as its tokens spell it."""

from research_agent.types import Completion


def aligned_text(reply: Completion) -> str:
    """Return the reply's text so that its tokens lie on it, character by character.

    Servers strip the text but not the tokens.
    """
    joined = "".join(token.text for token in reply.tokens)
    return joined if joined.strip() == reply.text.strip() else reply.text
