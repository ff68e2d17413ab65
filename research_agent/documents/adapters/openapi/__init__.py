"""API descriptions: OpenAPI 3 and Swagger 2.0, in JSON and YAML."""

from research_agent.documents.adapters.openapi.parsing import parse_api
from research_agent.documents.adapters.openapi.recognising import is_api

__all__ = ["is_api", "parse_api"]
