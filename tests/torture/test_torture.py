"""Every part of the torture table; `docs/results.md` has the figures of the whole.

pytest -m "torture and quick"    # some cases of each part, and those that failed once, by module
pytest -m "torture and not quick" -k kills    # one part; RESEARCH_AGENT_TORTURE=FOLDER: resumable
"""

import os
from pathlib import Path

import pytest

from tests.torture.__main__ import MODULES, failures, parts

pytestmark = pytest.mark.torture
FOLDER = "RESEARCH_AGENT_TORTURE"
"""Names the folder of what is done already."""


@pytest.mark.quick
@pytest.mark.parametrize("modules", [m for m in MODULES if m != "workers"])
def test_quick(modules: str, tmp_path: Path) -> None:
    """Cases spread over each part, and each that failed once.

    Those of workers are in tests/assembly/test_workers.py, beside the cluster that they need.
    """
    names = [name for name, part in parts(*modules.split()).items() if part.quick]
    assert [] == failures(names, tmp_path, quick=True)


@pytest.mark.parametrize("name", parts())
def test_whole(name: str, tmp_path: Path) -> None:
    """All cases, from where the last run into the same folder ended."""
    folder = Path(os.environ.get(FOLDER, tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    assert [] == failures([name], folder, quick=False)
