"""Whether a proposed query may be searched: pure functions that return Accept or Block.

Each compares with the user's own question, never with the query of a round before.
"""
