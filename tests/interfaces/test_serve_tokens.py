"""Tokens of the HTTP server: where they come from, what is refused, which index each one opens."""

from pathlib import Path

import pytest

from research_agent.errors import ConfigError, PathError
from research_agent.interfaces.serve.tokens import Clients, Rule, rules_of


def test_names_of_indexes_stay_below_the_root() -> None:
    rule = Rule(token="0123456789abcdef", index="acme")  # noqa: S106 (opens nothing)
    rules = [rule.model_copy(update={"index": "../acme"})]

    assert ["s3://bucket/team/acme"] == Clients([rule], index="", root="s3://bucket/team").locations
    with pytest.raises(PathError, match="no name of a tenant"):
        Clients(rules, index="", root="s3://bucket/team")
    with pytest.raises(ConfigError, match="comes twice"):
        Clients([rule, rule], index="")


def test_tokens_come_from_a_private_file_or_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "tokens.yaml"
    file.write_text("- {name: acme, token: 0123456789abcdef-x, index: acme, questions: 2}\n")
    file.chmod(0o600)
    (rule,), made = rules_of(str(file), {})
    (other,), _ = rules_of(None, {"RESEARCH_AGENT_SERVE_TOKENS": file.read_text()})
    alone = rules_of(None, {"RESEARCH_AGENT_SERVE_TOKEN": "0123456789abcdef"})

    assert (rule, False) == (other, made)
    assert ("acme", 2, 120) == (rule.name, rule.questions, rule.requests_per_minute)
    assert ("0123456789abcdef", False) == (alone[0][0].token, alone[1])
    assert rules_of(None, {})[1]
    with pytest.raises(ConfigError, match="16 or more"):
        rules_of(None, {"RESEARCH_AGENT_SERVE_TOKEN": "short"})
    assert "0123456789abcdef" not in repr(rule)
    file.chmod(0o640)
    with pytest.raises(ConfigError, match="others can use"):
        rules_of(str(file), {})


@pytest.mark.parametrize("text", ["[]", "- {token: short}", "- {token: [0123456789abcdef", "x: 1"])
def test_wrong_tokens_are_told_without_repeating_them(text: str) -> None:
    with pytest.raises(ConfigError, match="cannot be used") as caught:
        rules_of(None, {"RESEARCH_AGENT_SERVE_TOKENS": text})

    assert "short" not in str(caught.value).split("least")[0]
    assert "0123456789abcdef" not in str(caught.value)
