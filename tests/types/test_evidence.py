"""Texts of documents in prompts: no tag of ours can be written by a document."""

import re
import time
from pathlib import Path

from research_agent.types.evidence import FENCES, fenced

ROOT = Path(__file__).parents[2]
OPENINGS = ("<", "</", "< / ", "<//", "\uff1c/", "</\u200b", "<\u2060\uff0f")


def test_every_tag_of_the_prompts_is_a_fence() -> None:
    code = [*(ROOT / "research_agent" / "planning").rglob("*.py"), *ROOT.glob("prompts/*.md")]
    tags = {tag for path in code for tag in re.findall(r"</([a-z_]+)>", path.read_text("utf-8"))}
    assert {"chunk", "results", "conversation"} <= tags <= set(FENCES)


def test_no_fence_is_opened_or_closed() -> None:
    hostile = [f"{start}{name.upper()}{end}" for name in FENCES for start in OPENINGS
               for end in (">", " x='1'>")]  # fmt: skip
    assert all(fenced(text) == "&lt;" + text[1:] for text in hostile)
    began = time.process_time()
    assert fenced(long := "<" + " " * 100_000) == long
    assert time.process_time() - began < 5
    kept = "if (i<n) { List<Chunks> x; } <texture> 0 < i <= 5 <<text> x < \\text{a}"
    assert kept.replace("<text>", "&lt;text>") == fenced(kept)
