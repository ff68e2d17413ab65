"""DRAGIN for models behind an API: which word of an answer is in doubt, and what to search for.

Source: Su et al., DRAGIN, arXiv 2403.10081, whose attention weights an API does not give.
"""
