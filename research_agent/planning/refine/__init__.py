"""Refine: a better query or several, or the same one where the first search was convincing."""
