"""The OpenAPI description, made from the schemas of requests and answers."""

from importlib.metadata import version
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from research_agent.interfaces.own_graphs import research_tool, state, tool_inputs
from research_agent.interfaces.serve import bodies

Json = dict[str, Any]
ANSWERS: dict[str, TypeAdapter[Any]] = {
    "result": state.RESULT,
    "found": TypeAdapter(bodies.Found),
    "completion": TypeAdapter(Json),
    "problem": TypeAdapter(bodies.Problem),
}
POSTS: dict[str, tuple[str, Any, str]] = {
    "/v1/research": ("Answer a question", research_tool.ResearchInputs, "result"),
    "/v1/search": ("Find passages", tool_inputs.SearchChunksInput, "found"),
    "/v1/chat": ("Ask in a conversation", bodies.ChatInputs, "result"),
    "/v1/chat/completions": ("As OpenAI's API does", bodies.CompletionInputs, "completion"),
}
"""Path: summary, schema of the request, name of the answer."""
GETS = {
    "/v1/models": "List the names for chat completions",
    "/health": "Whether the process runs",
    "/ready": "Whether an index can be asked",
    "/metrics": "Counters for Prometheus",
    "/openapi.json": "This description",
}
OPEN = ("/health", "/ready", "/openapi.json")


def openapi() -> Json:
    """Return the description as JSON values."""
    wanted: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        *((path, "validation", TypeAdapter(given)) for path, (_, given, _) in POSTS.items()),
        *((name, "serialization", adapter) for name, adapter in ANSWERS.items()),
    ]
    schemas, shared = TypeAdapter.json_schemas(wanted, ref_template="#/components/schemas/{model}")
    content = {name: {"application/json": {"schema": one}} for (name, _), one in schemas.items()}
    problem = {"description": "An error", "content": content["problem"]}
    paths: Json = {}
    for path, (summary, _, answer) in POSTS.items():
        streamed: Json = {bodies.EVENTS: {}} if answer != "found" else {}
        done = {"description": "Done", "content": content[answer] | streamed}
        paths[path] = {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": content[path]},
                "responses": {"200": done, "default": problem},
            }
        }
    for path, summary in GETS.items():
        kind = "text/plain" if path == "/metrics" else "application/json"
        done = {"description": "Done", "content": {kind: {}}}
        responses = {"200": done, "default": problem}
        security: Json = {"security": []} if path in OPEN else {}
        paths[path] = {"get": {"summary": summary, "responses": responses, **security}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "research-agent", "version": version("research-agent")},
        "paths": paths,
        "components": {
            "schemas": shared.get("$defs", {}),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }
