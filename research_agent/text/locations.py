"""How an index is named: by a name, a folder, or the place of a shared one."""

_BUCKETS = ("s3://", "gs://", "az://")
LOCAL = "lance:"
"""What the location of a shared index in a folder begins with."""
INDEX_MARK = "research-agent-index.json"
"""The file by which a folder or a bucket is known as an index."""


def is_bucket(path: str) -> bool:
    """Return whether a path to index is an object of a bucket, or what such begin with."""
    return path.startswith(_BUCKETS)


def is_shared(location: str) -> bool:
    """Return whether `location` names a shared index, not a folder with a ledger.

    >>> is_shared("s3://team/papers"), is_shared("lance:/srv/papers"), is_shared("papers")
    (True, True, False)
    """
    return location.startswith((*_BUCKETS, LOCAL))
