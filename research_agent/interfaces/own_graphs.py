"""Our `graphs`, also beside a project that has a package of that name of its own.

Python finds the host's package first where the host runs from its own folder. Ours is then loaded
from its place beside `research_agent`, under a name of its own, and the host keeps `graphs`.
"""

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
    from graphs import context, node_wrapper, research, research_tool, resuming, state, tools
else:
    context, research, state = own("context"), own("research"), own("state")
    research_tool, resuming, tools = own("research_tool"), own("resuming"), own("tools")
    node_wrapper = own("node_wrapper")

ResearchContext, ResearchInput = context.ResearchContext, state.ResearchInput
build_research_graph = research.build_research_graph

__all__ = [
    "ResearchContext",
    "ResearchInput",
    "build_research_graph",
    "context",
    "node_wrapper",
    "own",
    "research",
    "research_tool",
    "resuming",
    "state",
    "tools",
]
