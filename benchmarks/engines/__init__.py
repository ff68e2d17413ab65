"""Engines for word search: each is measured in processes of its own, on the same words."""
