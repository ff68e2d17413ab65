"""The text of an API description -> a document."""

from dataclasses import replace

from research_agent.documents.adapters.openapi.cleaning import clean
from research_agent.documents.adapters.openapi.json_text import load_json
from research_agent.documents.adapters.openapi.yaml_text import load_yaml
from research_agent.documents.openapi.reading import api_document, told
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument


def parse_api(text: str, *, ending: str = ".json") -> ParsedDocument | None:
    """Return the operations, schemas and security schemes of an API description.

    None where the first thing in the text describes no API after all. In a YAML file JSON is read
    as JSON where it is valid, because that is quicker. Raises DocumentError for a text that is
    neither, with line and column.

    >>> document = parse_api('{"openapi": "3.0.0", "info": {"title": "Pets"}, "paths": null}')
    >>> document.title
    'Pets'
    """
    warnings = []
    loaded, twice, more = _loaded(text, ending)
    value = clean(loaded)
    if not isinstance(value, dict) or not value.keys() & {"openapi", "swagger"}:
        return None
    if twice:
        warnings.append(told(len(twice), "keys stand twice, the last one counts", twice))
    if more:
        warnings.append("only the first of its YAML documents is read")
    document = api_document(value)
    return replace(document, warnings=(*warnings, *document.warnings))


def _loaded(text: str, ending: str) -> tuple[object, tuple[str, ...], bool]:
    """Return the values of a text, the keys that stand twice, and whether something follows."""
    text = text.removeprefix("\ufeff")
    if ending == ".json":
        return (*load_json(text), False)
    if text.lstrip().startswith("{"):
        try:
            return (*load_json(text), False)
        except DocumentError:
            return load_yaml(text)
    return load_yaml(text)
