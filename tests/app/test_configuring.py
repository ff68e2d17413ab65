"""`research-agent config init` where the file cannot be written."""

from pathlib import Path

from tests.app.commands import run


def test_a_file_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    """The reason and what to do, never a stack trace."""
    result = run("config", "init", str(tmp_path / ("x" * 300)))

    assert (2, "") == (result.exit_code, result.stdout)
    assert "cannot be written" in result.stderr
    assert "research-agent config init PATH" in result.stderr
