"""The OpenAPI description, made from the schemas of `bodies`."""

from importlib.metadata import version
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from research_agent.interfaces.serve.bodies import SCHEMAS

Json = dict[str, Any]
EVENTS = "text/event-stream"
POSTS = {
    "/v1/research": ("Answer a question", "research", "result", True),
    "/v1/search": ("Find passages", "search", "", False),
    "/v1/chat": ("Ask in a conversation", "chat", "result", True),
    "/v1/chat/completions": ("Answer as OpenAI's API does", "completion", "", True),
}
"""Path: summary, schema of the request, schema of the answer, whether it can be streamed."""
GETS = {
    "/v1/models": ("List the names for chat completions", "application/json"),
    "/health": ("Whether the process runs", "application/json"),
    "/ready": ("Whether an index can be asked", "application/json"),
    "/metrics": ("Counters for Prometheus", "text/plain"),
    "/openapi.json": ("This description", "application/json"),
}
OPEN = ("/health", "/ready", "/openapi.json")


def openapi() -> Json:
    """Return the description as JSON values."""
    modes: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        (name, "serialization" if name in ("result", "problem") else "validation", adapter)
        for name, adapter in SCHEMAS.items()
    ]
    schemas, shared = TypeAdapter.json_schemas(modes, ref_template="#/components/schemas/{model}")
    by_name = {name: schema for (name, _), schema in schemas.items()}
    problem = {"description": "An error", "content": _content(by_name["problem"])}
    paths: Json = {}
    for path, (summary, given, answer, streams) in POSTS.items():
        content = _content(by_name.get(answer, {"type": "object"}))
        content |= {EVENTS: {"schema": {"type": "string"}}} if streams else {}
        paths[path] = {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": _content(by_name[given])},
                "responses": {
                    "200": {"description": "Done", "content": content},
                    "default": problem,
                },
            }
        }
    for path, (summary, kind) in GETS.items():
        answered = {"description": "Done", "content": {kind: {"schema": {}}}}
        security: Json = {"security": []} if path in OPEN else {}
        responses = {"200": answered, "default": problem}
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


def _content(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}
