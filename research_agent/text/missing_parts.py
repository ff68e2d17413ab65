"""Missing parts of an answer: the lines `NOT FOUND: …` of models whose prompt asks for them.

The prompt (`prompts/answer_user_refusing.md`) has such a line written instead of the answer, or
after the part of it that the chunks hold. Only that form is read, in whatever way a model sets it,
beside the fixed text of a refusal and one JSON object; no other wording is a refusal.
"""

import json
import re
from dataclasses import dataclass

from research_agent.types import REFUSAL

_LINE = re.compile(
    r"\s*(?:(?:[-*+>•]|#{1,6}|\d+[.)])\s+)?"  # a list sign, a quote or a heading
    r"(?P<mark>[*_`]*)not\s+found(?P=mark)?\s*[:：](?P=mark)?(?P<rest>.*)",  # noqa: RUF001 (full width)
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+(?P<rest>\S.*)")
_BEHIND = re.compile(r"(?<=[.!?。\]])[ \t]+(?=[*_`]*NOT FOUND[*_`]*\s*[:：])")  # noqa: RUF001 (full width)
_KEY = re.compile(r"[\[(]\s*c\d+(?:\s*[,;]\s*c\d+)*\s*[\])]", re.IGNORECASE)
_FENCED = re.compile(r"```\w*\n((?:(?!```).)*?)\n?```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Said:
    """A reply, split into its answer and the parts that it names as missing."""

    text: str
    """The answer; empty where the reply only refuses."""
    missing: tuple[str, ...] = ()
    """What the chunks do not hold, without keys; an item is empty where the reply names nothing."""

    @property
    def is_refusal(self) -> bool:
        """Whether the reply says that something is missing, and nothing else."""
        return bool(self.missing) and not self.text


def read_missing(reply: str) -> Said:
    """Split a reply into its answer and what it says is missing.

    A line that names nothing may be followed by a list of what is missing. Lines inside a block of
    code are left alone, and so is the phrase inside a sentence.
    """
    whole = reply.strip()
    fence = _FENCED.fullmatch(whole)
    inner = fence[1].strip() if fence else whole
    answer, missing = _from_object(inner)
    if _is_fixed(answer) or (answer != inner and not answer and not missing):
        return Said("", missing or ("",))
    kept, found = list[str](), list[str]()
    in_code = listing = False
    for line in answer.splitlines():
        in_code ^= line.lstrip().startswith("```")
        for part in [line] if in_code or _LINE.fullmatch(line) else _BEHIND.split(line):
            if match := None if in_code else _LINE.fullmatch(part):
                found.append(_named(match["rest"], match["mark"]))
                listing = not found[-1]
            elif listing and (item := _ITEM.fullmatch(part)):
                found = [*filter(None, found), _named(item["rest"], "")]
            else:
                listing = listing and not part.strip()
                kept.append(part)
    if not found and answer == inner:
        return Said(whole)
    return Said("\n".join(kept).strip(), (*found, *missing))


def _from_object(reply: str) -> tuple[str, tuple[str, ...]]:
    if not reply.startswith("{"):
        return reply, ()
    try:
        fields = json.loads(reply)
    except (ValueError, RecursionError):
        return reply, ()
    if not fields or not fields.keys() <= {"answer", "missing"}:
        return reply, ()
    answer, missing = fields.get("answer") or "", fields.get("missing") or []
    named = missing if isinstance(missing, list) else [missing]
    if not all(isinstance(one, str) for one in (answer, *named)):
        return reply, ()
    return answer.strip(), tuple(_named(one, "") for one in named if one.strip())


def _is_fixed(text: str) -> bool:
    words = " ".join(re.findall(r"[^\W_]+", _KEY.sub(" ", text).casefold()))
    return words in (REFUSAL, "not found")


def _named(rest: str, mark: str) -> str:
    """Return what a line names, without keys, full stop and the end of the markdown around it."""
    named = _without_keys(rest)
    if mark and named.count(mark) % 2:
        named = _without_keys(named.removesuffix(mark))
    return named.strip()


def _without_keys(text: str) -> str:
    while True:
        text = text.rstrip(" \t.。")
        start = max(text.rfind("["), text.rfind("("))
        if start < 0 or not _KEY.fullmatch(text, start):
            return text
        text = text[:start]
