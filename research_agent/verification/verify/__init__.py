"""Verify: the claims of a draft, how well they are supported, and what follows."""
