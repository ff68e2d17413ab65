"""Our `graphs`, also beside a project that has a package of that name of its own.

Python finds the host's package first where the host runs from its own folder. Ours is then loaded
from its place beside `research_agent`, under a name of its own, and the host keeps `graphs`.
"""
# ruff: noqa: PLC0414 (the aliases say what others import from here)

import importlib
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import research_agent

OURS = Path(research_agent.__file__).parent.parent / "graphs"
PRIVATE_NAME = "research_agent_graphs"


def own(module: str) -> ModuleType:
    """Return a module of our `graphs` package, whatever `import graphs` gives."""
    return importlib.import_module(f"{_package()}.{module}")


def _package() -> str:
    loaded = sys.modules.get("graphs")
    spec = loaded.__spec__ if loaded else PathFinder.find_spec("graphs")
    places = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    if places and places[0].resolve() == OURS.resolve():
        return "graphs"
    if PRIVATE_NAME not in sys.modules:
        found = spec_from_file_location(
            PRIVATE_NAME, OURS / "__init__.py", submodule_search_locations=[str(OURS)]
        )
        if found is None or found.loader is None:
            raise ImportError(f"no graphs beside {research_agent.__name__}")
        package = module_from_spec(found)
        sys.modules[PRIVATE_NAME] = package
        found.loader.exec_module(package)
    return PRIVATE_NAME


if TYPE_CHECKING:
    from graphs import chat as chat
    from graphs import checkpoints as checkpoints
    from graphs import context as context
    from graphs import node_wrapper as node_wrapper
    from graphs import research as research
    from graphs import research_tool as research_tool
    from graphs import resuming as resuming
    from graphs import state as state
    from graphs import tool_inputs as tool_inputs
    from graphs import tools as tools
else:
    PUBLIC = {
        "ResearchContext": "context",
        "ResearchInput": "state",
        "build_research_graph": "research",
    }

    def __getattr__(name: str) -> object:
        """Import one of our modules, or a public name of one, when it is first asked for."""
        if name in PUBLIC:
            return getattr(own(PUBLIC[name]), name)
        if not (OURS / f"{name}.py").is_file():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return own(name)
