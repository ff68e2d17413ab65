"""Answers in the form of OpenAI's chat completions."""

import json
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from research_agent.answering.result_lines import lacking_lines, quoted_line
from research_agent.errors import ResearchAgentError
from research_agent.interfaces.serve.answers import Events, with_pauses
from research_agent.interfaces.serve.bodies import MODELS, CompletionInputs, problem
from research_agent.interfaces.steps import step_text
from research_agent.text.visible import visible
from research_agent.types.events import Finished
from research_agent.types.result import ResearchResult

Json = dict[str, Any]
_LIVE = re.compile(r"[\\<]|\[(?!(?:c\d+|unconfirmed|contradicted)\](?![(\[:]))")
"""What would be a link, a picture or HTML of documents in a client that shows Markdown."""


def models() -> Json:
    """Return the list of models."""
    listed = [
        {"id": name, "object": "model", "created": 0, "owned_by": "research-agent"}
        for name in MODELS
    ]
    return {"object": "list", "data": listed}


def answer_text(result: ResearchResult) -> str:
    """Return an answer with what it lacks and its citations, as Markdown that loads nothing."""
    lacks = [f"- {line}" for line in lacking_lines(result)]
    cited = [f"- {quoted_line(citation)}" for citation in result.citations]
    parts = [result.answer, *filter(None, ["\n".join(lacks), "\n".join(cited)])]
    return _LIVE.sub(r"\\\g<0>", visible("\n\n".join(parts)))


class Completion:
    """One completion, whole or in parts."""

    def __init__(self, asked: CompletionInputs) -> None:
        self._asked = asked
        self._id, self._created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())

    def whole(self, result: ResearchResult) -> Json:
        """Return the answer to a request that is not streamed."""
        message = {"role": "assistant", "content": answer_text(result)}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        return self._made("chat.completion", [choice], usage=_usage(result))

    async def parts(self, events: Events) -> AsyncGenerator[str, None]:
        """Yield steps as reasoning, then the checked answer; an error ends it."""
        yield self._part({"role": "assistant", "content": ""})
        async with aclosing(with_pauses(events)) as coming:
            try:
                async for event in coming:
                    if event is None:
                        yield ":\n\n"
                    elif isinstance(event, Finished):
                        for part in self._end(event.result):
                            yield part
                    elif line := visible(step_text(event)):
                        yield self._part({"reasoning_content": f"{line}\n"})
            except ResearchAgentError as error:
                told = problem(str(error), type(error).__name__, error.hint)
                yield f"data: {json.dumps(told)}\n\n"
        yield "data: [DONE]\n\n"

    def _end(self, result: ResearchResult) -> list[str]:
        parts = [self._part({"content": answer_text(result)}), self._part({}, "stop")]
        if (self._asked.stream_options or {}).get("include_usage"):
            made = self._made("chat.completion.chunk", [], usage=_usage(result))
            parts.append(f"data: {json.dumps(made)}\n\n")
        return parts

    def _part(self, delta: Json, finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return f"data: {json.dumps(self._made('chat.completion.chunk', [choice]))}\n\n"

    def _made(self, kind: str, choices: list[Json], **more: Json) -> Json:
        about = {"id": self._id, "object": kind, "created": self._created}
        return {**about, "model": self._asked.model, "choices": choices, **more}


def _usage(result: ResearchResult) -> Json:
    read, written = result.usage.prompt_tokens, result.usage.completion_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
