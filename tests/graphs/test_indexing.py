"""What Studio may index, and where it may write."""

from pathlib import Path

import pytest

from graphs.indexing import check_within
from research_agent.errors import PathError


@pytest.mark.parametrize("index", ["s3://papers/team", "gs://p/t", "az://p/t", "lance:/srv/index"])
def test_studio_writes_no_shared_index(index: str, tmp_path: Path) -> None:
    """Its path looks like one below the current folder, and leads elsewhere."""
    with pytest.raises(PathError, match="is a shared index"):
        check_within([tmp_path, Path.cwd()], [str(tmp_path)], index)
    check_within([tmp_path], [str(tmp_path)], "notes")
