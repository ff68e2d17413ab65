"""The graphs: LangGraph and nothing else."""
