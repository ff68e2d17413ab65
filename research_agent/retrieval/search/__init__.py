"""The steps that search. They share the hybrid search, so they share a package."""
