"""`research-agent config init` where the file cannot be written."""

from pathlib import Path

from research_agent.config import load_settings
from research_agent.presets import preset_text
from tests.interfaces.commands import run


def test_a_file_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    """The reason and what to do, never a stack trace."""
    result = run("config", "init", str(tmp_path / ("x" * 300)))

    assert (2, "") == (result.exit_code, result.stdout)
    assert "cannot be written" in result.stderr
    assert "research-agent config init PATH" in result.stderr


def test_a_new_file_leaves_the_presets_to_act(tmp_path: Path) -> None:
    """What a preset sets is commented out in it: a key that stands there would win."""
    path = str(tmp_path / "mine.yaml")
    assert 0 == run("config", "init", path).exit_code
    text = Path(path).read_text(encoding="utf-8")

    assert "\n  # rounds: 1\n" in text
    assert "\n  cost: 0.0\n" in text
    assert load_settings(None, {}) == load_settings(Path(path), {})


def test_a_preset_is_shown_as_its_file(tmp_path: Path) -> None:
    """With the keys of one's own that win over it, and with what "auto" means here."""
    config = tmp_path / "c.yaml"
    config.write_text("preset: full\nbudget: {rounds: 2}", encoding="utf-8")
    shown = run("config", "show", "--preset", "full", "--config", str(config)).stdout
    auto = run("config", "show", "--preset", "auto").stdout
    keys = run("config", "show", "--config", str(config)).stdout

    assert shown.startswith(preset_text("full"))
    assert "# your own, which wins: budget.rounds: 2" in shown
    assert auto.startswith("# auto: local, by models.chat.provider local\n" + preset_text("local"))
    assert "; preset full\n" in keys
    assert "search.mode: 'tool_calling'  # preset full; default 'planned'" in keys
    assert "budget.rounds: 2  # default 1" in keys
