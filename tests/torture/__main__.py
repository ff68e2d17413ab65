"""The torture table: `python -m tests.torture run PARTS FOLDER [--quick]`, `… table FOLDER`.

PARTS are names with commas between them, all of one entry of MODULES. A run goes on where an
earlier one into the same folder has ended.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.torture import shim
from tests.torture.harness import KINDS, Part, lines, run

MODULES = ("disks", "shapes strangers", "processes outputs models", "files", "workers")
"""Those that load the same share a process; `disks` forks thousands of times and loads little."""
HEADS = ("part", "cases", "of", *KINDS, "minutes", "faults by", "what came of them")
_ARMED = "RESEARCH_AGENT_TORTURE_SHIM"
"""Set where the shim is loaded: the modules of the parts that run, all that are imported."""


def parts(*modules: str) -> dict[str, Part]:
    """Return the parts of these modules by their names; without one, every part."""
    names = modules or " ".join(MODULES).split()
    found = (import_module(f"tests.torture.{name}").PARTS for name in names)
    return {part.name: part for those in found for part in those}


def failures(names: Sequence[str], folder: Path, *, quick: bool) -> list[dict[str, Any]]:
    """Run parts, and return the lines of what failed in them."""
    from tests.needed import missing

    if not shim.can_be_made():
        missing("the shim needs Linux and gcc")
    assert 0 == begin(names, folder, quick=quick)
    failed = []
    for name in names:
        wanted = set(parts()[name].numbers(quick=quick))
        found = [line for line in lines(folder / f"{name}.jsonl") if line["case"] in wanted]
        assert len(wanted) == len(found)
        failed += [line for line in found if "what" in line]
    return failed


def begin(names: Sequence[str], folder: Path, *, quick: bool) -> int:
    """Run parts in a process of their own with the shim loaded, away from the user's folders."""
    with tempfile.TemporaryDirectory(prefix="torture-home-") as home:
        own = {name: value for name, value in os.environ.items() if not _foreign(name)}
        module = next(module for module in MODULES if {*names} <= {*parts(*module.split())})
        own |= {
            "LD_PRELOAD": str(shim.made(Path(home))),
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/config",
            "XDG_CACHE_HOME": f"{home}/cache",
            "RESEARCH_AGENT_HOME": f"{home}/data",
            "LANGGRAPH_STRICT_MSGPACK": "true",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            _ARMED: module,
        }
        command = [sys.executable, "-m", "tests.torture", "run", ",".join(names), str(folder)]
        return subprocess.run([*command, *["--quick"] * quick], env=own, check=False).returncode


def _foreign(name: str) -> bool:
    begins = ("RESEARCH_AGENT_", "OPENAI_", "AWS_", "LANGSMITH_", "LANGCHAIN_", "CHROMA_")
    return name.startswith(begins) and name != "RESEARCH_AGENT_DATA"


def table(folder: Path) -> str:
    """Return the counts of all parts as Markdown, and every failure below them."""
    rows, failures = [], []
    for name, part in parts().items():
        if not (found := lines(folder / f"{name}.jsonl")):
            continue
        outcomes = Counter(line["outcome"] for line in found)
        broken = {kind: outcomes.pop(kind, 0) for kind in KINDS}
        minutes = sum(line["seconds"] for line in found) / 60
        came = ", ".join(f"{what} {count}" for what, count in outcomes.most_common())
        rows.append(
            (part.about, len(found), part.total, *broken.values(), f"{minutes:.1f}", part.by, came)
        )
        failures += [
            f"- {line['seed']}: {line['outcome']}: {line['what']}"
            for line in found
            if "what" in line
        ]
    ruled = [HEADS, ["---"] * len(HEADS), *rows]
    return "\n".join([*(f"| {' | '.join(map(str, row))} |" for row in ruled), "", *failures])


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say."""
    armed = os.environ.get(_ARMED, "").split()
    match arguments:
        case ["table", folder]:
            sys.stdout.write(table(Path(folder)) + "\n")
            return 0
        case ["run", given, folder, *more] if {*given.split(",")} <= {*(known := parts(*armed))}:
            Path(folder).mkdir(parents=True, exist_ok=True)
            names = given.split(",")
            if not armed:
                return begin(names, Path(folder), quick="--quick" in more)
            run([known[name] for name in names], Path(folder), quick="--quick" in more)
            return 0
    sys.stderr.write(f"{__doc__}\nparts: {', '.join(parts())}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
