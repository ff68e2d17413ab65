"""The documents, the question, and a server that makes no mistake."""

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from research_agent.interfaces.cli.index import update
from research_agent.model_settings import ModelSettings, RoleSettings
from research_agent.settings import AnswerSettings, BudgetSettings, ConfidenceSettings, Settings
from tests import converse, loopback
from tests.loopback_faults import Fault

Json = dict[str, Any]
Place = Literal["all", "planner", "answer", "verifier"]
"""Which calls meet the fault."""

DOCUMENTS: Mapping[str, str] = {
    "kiln.md": """# Firing the kiln

The glaze kiln is fired at 1240 degrees. A firing takes eleven hours. The kiln cools for
another eighteen hours before its door may be opened.

The potter's own note on this page is PRIVATE-TEXT-OF-A-DOCUMENT.
""",
    "clay.md": """# Clay

Stoneware clay is stored in closed buckets at 12 degrees. It keeps for nine months.
""",
    "orders.md": """# Orders

Orders are packed on Thursdays. A parcel weighs at most 20 kilograms.
""",
}
PRIVATE = re.compile(r"PRIVATE-TEXT-OF-A-DOCUMENT|sk-private-key|(?<!AWS_)SECRET")
"""What no message may hold: the documents' text, the key, the server's own words."""
KEY = "sk-private-key"
QUESTION = "At how many degrees is the glaze kiln fired, and how long does a firing take?"
FIRST = "The glaze kiln is fired at 1240 degrees [c1]."
ANSWER = f"{FIRST} A firing takes eleven hours [c1]."
"""Both sentences stand in the first document. One of them alone looks like a whole answer."""
KEEP = '{"kind": "keep", "queries": []}'
MODEL = "scripted"

NamedBy = Literal["warning", "uncertainty", "nothing"]
PLACES: tuple[Place, ...] = ("all", "planner", "answer", "verifier")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a row is run with."""

    seconds: float
    """`budget.seconds`."""
    timeout: float
    """`models.timeout`."""
    threads: int = 4
    """Rows at a time."""
    folder: Path = Path()
    """An empty folder of the row's own."""


Opened = Callable[[Terms], AbstractContextManager[ModelSettings]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fault, and which calls meet it."""

    provider: Literal["openai", "bedrock", "set-up"]
    fault: str
    place: Place = "all"
    opened: Opened
    """Sets the fault up and gives the settings with which it is met."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the program is told beside RESEARCH_AGENT_CACHE."""
    alone: bool = False
    """The fault is one of the whole process: no other row runs beside it."""
    named_by: NamedBy = "warning"
    """Where an answer says what happened; some faults take nothing from it."""

    @property
    def name(self) -> str:
        """Return what tells the row from the others."""
        return f"{self.provider}: {self.fault} ({self.place})"


def settings(models: ModelSettings, seconds: float) -> Settings:
    """Return settings with which the planner, the answer and the verifier are all asked."""
    return Settings(
        confidence=ConfidenceSettings(top_k=1, bypass=1.01),
        answer=AnswerSettings(max_tokens=100, refusal="check"),
        budget=BudgetSettings(seconds=seconds),
        models=models,
    )


def served(url: str, timeout: float) -> ModelSettings:
    """Return settings for a server that speaks OpenAI's protocol on this machine."""
    chat = RoleSettings(provider="openai", model=MODEL, base_url=url, api_key_env="FAULTS_KEY")
    return ModelSettings(chat=chat, timeout=timeout)


def met(
    fault: Fault, place: Place, good: loopback.Script, place_of: Callable[[Any], Place]
) -> loopback.Script:
    """Return the script of a server under a fault that the calls of `place` meet."""
    faulty = fault(good)
    return lambda given: (faulty if place in ("all", place_of(given)) else good)(given)


def documents_index(folder: Path) -> str:
    """Write the documents below `folder`, index them, and return the index's path."""
    documents, index = folder / "documents", folder / "index"
    documents.mkdir(parents=True)
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    update(str(index), [str(documents)], Settings())
    return str(index)


def place_of(request: Json) -> Place:
    """Return which call a request of OpenAI's protocol belongs to."""
    if "response_format" in request:
        return "planner"
    return "verifier" if request.get("max_tokens") == 1 else "answer"


def good(request: Json) -> Json:
    """Reply as the model of a flawless server."""
    match place_of(request):
        case "planner":
            return loopback.text_reply(KEEP)
        case "verifier":
            verdict = [loopback.token("yes", -0.01, {"no": -4.6})]
            return loopback.text_reply("yes", tokens=verdict)
        case _:
            return loopback.text_reply(ANSWER)


def bedrock_place(asked: converse.Asked) -> Place:
    """Return which call a request to Bedrock belongs to."""
    if "toolConfig" in asked.body:
        return "planner"
    return "verifier" if asked.body["inferenceConfig"]["maxTokens"] == 1 else "answer"


def bedrock_good(asked: converse.Asked) -> Json:
    """Reply as a flawless model of Bedrock."""
    match bedrock_place(asked):
        case "planner":
            return converse.tool_reply("reply", {"kind": "keep", "queries": []})
        case "verifier":
            return converse.text_reply("yes", stop="max_tokens")
        case _:
            return converse.text_reply(ANSWER)
