"""The arguments of the tools: one schema for models, parent graphs, MCP and Python.

What a model may get wrong becomes a ToolInputError that says how to put it right.
"""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from copy import copy
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails

from research_agent.errors import QuestionError, ResearchAgentError, ToolInputError
from research_agent.planning.tool_calls.written_calls import nearest
from research_agent.text.replies import check_question

LARGEST = 1000
LONGEST_ID, LONGEST_NAME = 200, 500
LONGEST_SHOWN = 60
"""Characters of a wrong argument in its error, at most."""
Input = TypeVar("Input", bound=BaseModel)


def _question(text: str) -> str:
    try:
        check_question(text)
    except QuestionError as error:
        raise ValueError(str(error).replace("question", "query")) from error
    return text.strip()


def _several(value: object) -> object:
    """Return one text as a list, also where a model has written the list into it."""
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            written = json.loads(value)
            if isinstance(written, list) and all(isinstance(one, str) for one in written):
                return written
        return [value]
    if not isinstance(value, Collection) or isinstance(value, Mapping):
        return value
    return list(value)


def _bare(value: object) -> object:
    """Return a key without the brackets in which results show it."""
    return value.strip(" []") if isinstance(value, str) else value


ChunkId = Annotated[str, BeforeValidator(_bare), Field(min_length=1, max_length=LONGEST_ID)]
ChunkIds = Annotated[list[ChunkId], BeforeValidator(_several), Field(max_length=LARGEST)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Names = Annotated[list[Name], BeforeValidator(_several), Field(max_length=LARGEST)]
"""Names or globs of documents."""


class ToolInput(BaseModel):
    """The base: nothing unknown is accepted, and `null` means the default."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, arguments: Any) -> Any:  # noqa: ANN401 (whatever a model wrote)
        if isinstance(arguments, Mapping):
            return {name: value for name, value in arguments.items() if value is not None}
        return arguments


class SearchChunksInput(ToolInput):
    """What `search_chunks_tool` takes."""

    query: Annotated[str, AfterValidator(_question)] = Field(
        description="A short phrase with the words that the documents use, names and numbers."
    )
    max_chunks: int = Field(25, ge=1, le=LARGEST, description="Return at most so many chunks.")
    file_filter: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="Search only documents with this text in their name or path, in any case; "
        "with * or ? it is a glob, such as guides/*.md.",
    )
    include_references: bool = Field(
        default=False, description="Add the chunks that the found ones refer to."
    )
    rerank: bool = Field(
        default=True, description="Let the filter leave out what does not help; false: rank alone."
    )
    exclude_chunk_ids: ChunkIds | None = Field(
        None, description="Keys of passages that are known; others take their place."
    )


class GetChunksInput(ToolInput):
    """What `get_chunks_tool` takes."""

    chunk_ids: ChunkIds = Field(
        description="Keys of passages, as in the square brackets of results, best first."
    )
    expand_depth: int = Field(
        3, ge=0, le=10, description="Follow references so many steps; 0: none."
    )
    max_total_chunks: int = Field(
        100, ge=1, le=LARGEST, description="Return at most so many chunks, expanded ones included."
    )


class ListDocumentsInput(ToolInput):
    """What `list_documents_tool` takes: nothing."""


INPUTS: Mapping[str, type[ToolInput]] = {
    "search_chunks_tool": SearchChunksInput,
    "get_chunks_tool": GetChunksInput,
    "list_documents_tool": ListDocumentsInput,
}


def with_default(schema: type[ToolInput], name: str, default: object) -> type[ToolInput]:
    """Return `schema` with another default of one argument."""
    field = copy(schema.model_fields[name])
    field.default = default
    fields: Any = {name: (field.annotation, field)}
    return create_model(schema.__name__, __base__=schema, **fields)


def valid(schema: type[Input], **given: object) -> Input:
    """Return arguments as their schema has them; raises ToolInputError."""
    try:
        return schema.model_validate(given)
    except ValidationError as error:
        raise input_error(schema, error) from error


def checked(name: str, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments of a tool that differ from the defaults; raises ToolInputError."""
    return valid(INPUTS[name], **arguments).model_dump(mode="json", exclude_defaults=True)


def input_error(schema: type[BaseModel], error: ValidationError) -> ToolInputError:
    """Return what is wrong with arguments, each with what was given, and which there are."""
    names = list(schema.model_fields)
    message = "; ".join(dict.fromkeys(_told(detail, names) for detail in error.errors()[:4]))
    return ToolInputError(message, hint=f"The arguments are: {', '.join(names) or 'none'}.")


def told(error: ResearchAgentError) -> str:
    """Return an error as a model reads it, which can put it right."""
    return f"{error}. {error.hint}" if error.hint else str(error)


def _told(detail: ErrorDetails, names: list[str]) -> str:
    where = ".".join(map(str, detail["loc"]))[:100]
    if detail["type"] == "missing":
        return f"{where} is missing"
    if detail["type"] == "extra_forbidden" or (where and where.partition(".")[0] not in names):
        near = nearest(where, names)
        return f"there is no argument {where!r}" + (f", did you mean {near}?" if near else "")
    given = repr(detail["input"])
    more = "\N{HORIZONTAL ELLIPSIS}" if len(given) > LONGEST_SHOWN else ""
    shown = given[:LONGEST_SHOWN] + more
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "it should", 1)
    return f"{where}: {message}, not {shown}"
