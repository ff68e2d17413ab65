"""The step that plans calls, and how it fills the gaps of queries that wait for others."""
