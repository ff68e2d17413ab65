"""Where indexes live on disk, and who may write to one."""

from research_agent.index.adapters.folders.index_folder import Edition, IndexFolder
from research_agent.index.adapters.folders.places import DEFAULT, home, locate, named_indexes

__all__ = ["DEFAULT", "Edition", "IndexFolder", "home", "locate", "named_indexes"]
