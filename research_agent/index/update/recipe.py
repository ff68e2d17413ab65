"""What chunks and vectors depend on, beside the document and the embedding model."""

CHUNKING = 6
"""Version of how text becomes chunks and windows: documents of another one are cut anew."""


def recipe(chunk_chars: int) -> str:
    """Return the setting and the version that an index is made with, to be compared and shown.

    >>> recipe(1000)
    'chunk_chars=1000 chunking=6'
    """
    return f"chunk_chars={chunk_chars} chunking={CHUNKING}"
