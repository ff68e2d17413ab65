"""Evaluations: questions asked of an agent, rows kept as they come, pages of what came out."""
