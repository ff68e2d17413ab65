from pathlib import Path

import pytest


@pytest.fixture
def docs(tmp_path: Path, data_home: Path) -> Path:
    """Return a folder of two documents; `data_home` keeps indexes away from the user's."""
    assert not data_home.exists()
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "keys.txt").write_text("An ML-KEM-768 key has 1184 bytes.\n\nOthers have 800.")
    (folder / "bread.txt").write_text("Bread is baked at 230 degrees.")
    return folder
