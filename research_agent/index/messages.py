"""What users are told of an index, whatever it is kept in."""

from shlex import quote

from research_agent.errors import DocumentError, IndexMismatchError, IndexMissingError
from research_agent.index.packing import storable


def command(label: str) -> str:
    """Return the beginning of the command that writes the index `label`."""
    return "research-agent index" + ("" if label == "default" else f" --index {quote(label)}")


def rebuild_hint(label: str) -> str:
    """Say how the index `label` is made anew."""
    return f"Make it anew: {command(label)} --rebuild PATH…"


def missing(label: str) -> IndexMissingError:
    """Return the error for an index that was never begun."""
    return IndexMissingError(
        f"There is no index {label} yet.", hint=f"Make one: {command(label)} PATH"
    )


def unfinished(label: str) -> IndexMissingError:
    """Return the error for an index whose first run was interrupted."""
    return IndexMissingError(
        f"The index {label} was begun, but never finished.",
        hint=f"Give the command that was interrupted again: {command(label)} PATH",
    )


def check_name(path: str) -> None:
    """Raise DocumentError for a document whose name cannot be kept."""
    if storable(path) != path:
        raise DocumentError("its name is not valid Unicode")


def wrong_length(label: str, kept: int, given: int) -> IndexMismatchError:
    """Return the error for a vector of another length than those that an index holds."""
    return IndexMismatchError(
        f"The index {label} holds vectors of {kept} numbers, not of {given}.",
        hint=rebuild_hint(label),
    )


def check_model(kept: str, model: str, label: str) -> None:
    """Raise IndexMismatchError where an index of one model is used with another."""
    if kept != model:
        raise IndexMismatchError(
            f"The index {label} was made with the embedding model {kept}, not with {model}.",
            hint=f"{rebuild_hint(label)}, or choose {kept} in models.embedding.",
        )
