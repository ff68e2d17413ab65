"""The code of docs/embedding.md runs as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest

from research_agent import Limits, ResearchAgent
from tests.fakes import BYPASSING, GOOD, PROMPTS, ScriptedChat, ports, says


@pytest.mark.usefixtures("data_home")
def test_code_of_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All blocks, one after the other, over an index of three chunks."""
    page = Path("docs/embedding.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}

    known = ResearchAgent.open

    def opened(_: str = "default", **given: Any) -> ResearchAgent:  # noqa: ANN401 (any of them)
        if given:
            return known(_, **given)
        return ResearchAgent(ports(ScriptedChat(says(GOOD))), BYPASSING, PROMPTS)

    monkeypatch.setattr(ResearchAgent, "open", opened)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)  # noqa: S102 (it is our own documentation)

    told = capsys.readouterr().out.split()
    assert ("asked", "result") == (told[0], told[-1])
    assert GOOD == names["done"]["report"]
    assert Limits(llm_calls=40).after(names["result"].usage).llm_calls == 38
    assert "off" == names["result"].filter_stats.mode
    assert [("guide", 1)] == [place[:2] for place in names["places"]][:1]
    assert [GOOD] == names["answers"]
    assert "[^c1]: k, PDF page 3" in names["page"]
    assert names["entries"].startswith("@misc{k,")
    assert GOOD == names["message"].artifact.answer
