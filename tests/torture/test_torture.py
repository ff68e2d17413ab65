"""Every part of the torture table; `docs/results.md` has the figures of the whole.

pytest -m "torture and quick"    # some cases of each part, and those that failed once, by module
pytest -m "torture and not quick" -k kills    # one part; RESEARCH_AGENT_TORTURE=FOLDER: resumable
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.needed import missing
from tests.torture import shim
from tests.torture.__main__ import MODULES, begin, parts
from tests.torture.harness import lines

pytestmark = pytest.mark.torture
FOLDER = "RESEARCH_AGENT_TORTURE"
"""Names the folder of what is done already."""


def check(names: Sequence[str], folder: Path, *, quick: bool) -> None:
    if not shim.can_be_made():
        missing("the shim needs Linux and gcc")
    assert 0 == begin(names, folder, quick=quick)
    for name in names:
        wanted = set(parts()[name].numbers(quick=quick))
        found = [line for line in lines(folder / f"{name}.jsonl") if line["case"] in wanted]

        assert len(wanted) == len(found)
        assert [] == [line for line in found if "what" in line]


@pytest.mark.quick
@pytest.mark.parametrize("module", MODULES)
def test_quick(module: str, tmp_path: Path) -> None:
    """Cases spread over each part, and each that failed once."""
    check([name for name, part in parts(module).items() if part.quick], tmp_path, quick=True)


@pytest.mark.parametrize("name", parts())
def test_whole(name: str, tmp_path: Path) -> None:
    """All cases, from where the last run into the same folder ended."""
    folder = Path(os.environ.get(FOLDER, tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    check([name], folder, quick=False)
