"""A new question on a thread that has seen one: the last question's working state is forgotten."""

from langgraph.types import Overwrite

from .state import ResearchInput, ResearchState


def begin(state: ResearchState) -> dict[str, object]:  # noqa: ARG001 (what a node is called with)
    """Return every field that no caller gives, empty; the fields of the input stay as given.

    >>> sorted(begin(ResearchState(question="Why?")))[:3]
    ['answer', 'best', 'check']
    """
    working = {
        name: field.get_default(call_default_factory=True)
        for name, field in ResearchState.model_fields.items()
        if name not in ResearchInput.model_fields
    }
    return {**working, "trace": Overwrite([])}
