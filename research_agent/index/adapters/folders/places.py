"""Names and paths of indexes."""

import os
import re
from contextlib import suppress
from pathlib import Path

from research_agent.errors import PathError
from research_agent.index.adapters.folders.index_folder import IndexFolder

DEFAULT = "default"
"""The index of those who name none."""
_NAME = re.compile(r"\w[\w .-]{0,99}")


def home() -> Path:
    """Return the folder of all data: RESEARCH_AGENT_HOME, or the place the system has for it."""
    if named := os.environ.get("RESEARCH_AGENT_HOME"):
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("research-agent", appauthor=False)


def locate(location: str) -> IndexFolder:
    """Return where the index `location` is: a name, or a path, which has a separator or a dot.

    Raises PathError for what is neither.
    """
    name = location or DEFAULT
    is_path = name.startswith(".") or "/" in name or os.sep in name
    if is_path and "\0" not in name:
        with suppress(RuntimeError):  # (a home folder of nobody: the path is taken as it stands)
            return IndexFolder(Path(name).expanduser().absolute(), name)
        return IndexFolder(Path(name).absolute(), name)
    if not _NAME.fullmatch(name):
        raise PathError(
            f"{name!r} is no name of an index.",
            hint="Use letters, digits, spaces, dots and hyphens, or a path such as ./my-index.",
        )
    return IndexFolder(home() / "indexes" / name, name)


def named_indexes() -> list[IndexFolder]:
    """Return the indexes below the data folder, by name."""
    try:
        names = sorted(path.name for path in (home() / "indexes").iterdir())
    except OSError:
        return []
    folders = (IndexFolder(home() / "indexes" / name, name) for name in names)
    return [folder for folder in folders if folder.exists()]
