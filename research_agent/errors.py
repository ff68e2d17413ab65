"""What can go wrong. Each error has a message, a hint for the user, and whether to try again."""

from typing import ClassVar


class ResearchAgentError(RuntimeError):
    """The root: every error says whether to try again, and what the user can do.

    LangGraph's server shows the text of Python's own classes of errors, and of what inherits them.
    """

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep `hint` apart from the message, and show it in tracebacks too."""
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(hint)


class ConfigError(ResearchAgentError):
    """A setting is unknown, of the wrong type or out of range."""


class PromptError(ResearchAgentError):
    """A prompt file does not have exactly the variables it must have."""


class QuestionError(ResearchAgentError):
    """A question is empty or too long to be one."""


class ToolInputError(ResearchAgentError):
    """An argument of a tool, or a scope, is wrong, or names something that is not there."""


class PathError(ResearchAgentError):
    """A path to index does not exist or holds nothing to index."""


class DocumentError(ResearchAgentError):
    """One file cannot be read as a document; the message is the reason, in a few words."""


class IndexingError(ResearchAgentError):
    """The base of everything about an index."""


class IndexMissingError(IndexingError):
    """There is no index yet."""


class IndexMismatchError(IndexingError):
    """The index was made with another embedding model, space or version."""


class IndexLockedError(IndexingError):
    """Another process is writing to the index."""

    retryable = True


class IndexDamagedError(IndexingError):
    """A file of the index cannot be read."""


class IndexUnavailableError(IndexingError):
    """The storage of a shared index does not answer."""

    retryable = True


class ModelError(ResearchAgentError):
    """The base of everything about a model."""

    tries = 1
    """Requests that were sent before the call was given up."""


class ModelMissingError(ModelError):
    """The weights or the package of a model are not installed."""


class ModelUnavailableError(ModelError):
    """A model server failed or is down."""

    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after: float | None = None) -> None:
        """Keep `retry_after`, the seconds after which the server wants to be asked again."""
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class ModelBusyError(ModelUnavailableError):
    """A model server has too much to do."""


class ModelTimeoutError(ModelUnavailableError):
    """A model server gave no whole reply within its deadline."""


class ModelAccessError(ModelError):
    """A key or credentials are missing, expired, or do not allow what was asked."""


class ModelReplyError(ModelError):
    """A model server answered with something that is no reply."""


class ContextOverflowError(ModelError):
    """A prompt is longer than the model reads."""


class SessionError(ResearchAgentError):
    """A conversation cannot be found, read or kept."""


class SessionLockedError(SessionError):
    """Another process has the conversation open."""

    retryable = True


class BudgetError(ResearchAgentError):
    """A call does not fit into what is left of the budget; it was not made."""

    def __init__(self, which: str, *, last: str = "") -> None:
        """Say which of the budget's limits is reached, by its key below `budget`.

        `last` is what became of the call during which that happened.
        """
        said = f"budget.{which} is spent" + (f": {last}" if last else "")
        super().__init__(said, hint=f"Raise budget.{which}, or ask for less.")
        self.which = which


class StoppedError(ResearchAgentError):
    """The caller has ended the question, or has gone."""


class EvaluationError(ResearchAgentError):
    """An evaluation cannot go on as it was begun, or has nothing to show."""


class QuestionSetError(EvaluationError):
    """A question set cannot be read, or does not fit the index."""


class ReplayError(ResearchAgentError):
    """A recorded run cannot be run again without asking somebody."""
