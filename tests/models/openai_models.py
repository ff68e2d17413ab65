"""Models behind a scripted server, for the tests of the adapter."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from research_agent.models.adapters.openai import Endpoint, OpenAIChat, OpenAIEmbedder
from research_agent.types import Message, ModelCall
from tests.loopback import Json, Live, Raw, Script, server

ASKED = [Message("system", "Be brief."), Message("user", "SECRET DOCUMENT: capital of France?")]
KEY = "sk-secret-key"


def endpoint(url: str, *, timeout: float = 20) -> Endpoint:
    return Endpoint(
        model="m", url=lambda: url, where=url, api_key=KEY, key_env="MY_KEY", timeout=timeout
    )


@contextmanager
def chat(script: Script, *, timeout: float = 20) -> Iterator[OpenAIChat]:
    with server(script) as url, closing(OpenAIChat(endpoint(url, timeout=timeout))) as model:
        yield model


@contextmanager
def embedder(script: Script, *, timeout: float = 20) -> Iterator[OpenAIEmbedder]:
    with server(script) as url, closing(OpenAIEmbedder(endpoint(url, timeout=timeout))) as model:
        yield model


def replies(*scripted: Json | Raw | Live) -> tuple[Script, list[Json]]:
    """A script that gives the replies in their order, the last one for ever, and what it got."""
    left, seen = list(scripted), []

    def script(given: Json) -> Json | Raw | Live:
        seen.append(given)
        return left.pop(0) if len(left) > 1 else left[0]

    return script, seen


def counts(cost: ModelCall) -> tuple[int, int, int, str]:
    return cost.prompt_tokens, cost.completion_tokens, cost.cached_tokens, cost.model
