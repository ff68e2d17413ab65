"""The step that chooses what the model reads, and what it leaves out of that by measurement."""
