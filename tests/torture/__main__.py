"""The torture table: `python -m tests.torture run PARTS FOLDER [--quick]`, `… table FOLDER`.

PARTS are names with commas between them, all of one module. A run goes on where an earlier one
into the same folder has ended.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.torture import shim
from tests.torture.harness import KINDS, Part, lines, run

MODULES = ("disks", "shapes", "outputs", "processes", "models", "files", "strangers", "workers")
HEADS = ("part", "cases", "of", *KINDS, "minutes", "faults by", "what came of them")
_ARMED = "RESEARCH_AGENT_TORTURE_SHIM"
"""Set where the shim is loaded: the module of the parts that run, the only one that is imported."""


def parts(*modules: str) -> dict[str, Part]:
    """Return the parts of these modules by their names; without one, every part."""
    found = (import_module(f"tests.torture.{name}").PARTS for name in modules or MODULES)
    return {part.name: part for those in found for part in those}


def begin(names: Sequence[str], folder: Path, *, quick: bool) -> int:
    """Run parts in a process of their own with the shim loaded, away from the user's folders."""
    with tempfile.TemporaryDirectory(prefix="torture-home-") as home:
        own = {name: value for name, value in os.environ.items() if not _foreign(name)}
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
            _ARMED: next(module for module in MODULES if {*names} <= {*parts(module)}),
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
