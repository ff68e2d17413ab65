"""An API description (OpenAPI 3, Swagger 2.0) as plain values -> a document."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from research_agent.documents.openapi.descriptions import one_line, paragraphs, structured
from research_agent.documents.openapi.lines import (
    blocks_of,
    requirement_line,
    security_items,
    unknown_schemes,
)
from research_agent.documents.openapi.messages import operation_ids
from research_agent.documents.openapi.operations import (
    Operation,
    operation_items,
    operations,
)
from research_agent.documents.openapi.schemas import schema_items
from research_agent.documents.openapi.tree import (
    Api,
    Markdown,
    in_brackets,
    is_remote,
    mapping,
    named,
    plain,
    pointer,
    references,
    sequence,
)
from research_agent.types.documents import Block, ParsedDocument

SECTION = "About"
NAMED = 3  # names that a warning gives


def api_document(root: Mapping[str, object], markdown: Markdown) -> ParsedDocument:
    r"""Return the document of an API description whose numbers are texts, as they were written.

    `markdown` reads descriptions. References that lead nowhere or to another server are warnings.

    >>> paths = {"/pets": {"get": {"operationId": "listPets", "summary": "All pets."}}}
    >>> document = api_document({"openapi": "3.0.3", "paths": paths}, lambda text: ())
    >>> document.blocks[1].text
    'GET /pets listPets (list pets)\nAll pets.'
    """
    api = Api(root, markdown)
    found = tuple(operations(api))
    items = (*operation_items(api, found), *schema_items(api), *security_items(api))
    blocks = (*_about(api), *(block for item in items for block in blocks_of(item)))
    title = named(root.get("info"), "title")
    return ParsedDocument(blocks, title=title, warnings=tuple(_warnings(api, found)))


def counted(count: int, what: str, names: Sequence[str]) -> str:
    """Return a warning with the first names."""
    more = len(names) - NAMED
    listed = ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{what} ({count}): {listed}"


def _warnings(api: Api, found: Sequence[Operation]) -> Iterator[str]:
    known = Counter(operation.identifier for operation in found if operation.identifier)
    dangling = api.dangling()
    for value in (api.root, *(operation.value for operation in found)):
        dangling.update(f"security scheme {n}" for n in unknown_schemes(api, value.get("security")))
    for operation in found:
        wanted = operation_ids(api, operation.value)
        dangling.update(f"operation {name}" for name in wanted if name not in known)
    if dangling:
        yield counted(dangling.total(), "references that lead nowhere", list(dangling))
    if remote := list(filter(is_remote, references(api.root))):
        names = list(dict.fromkeys(remote))
        yield counted(len(remote), "references to other servers, not followed", names)
    if twice := [name for name, count in known.items() if count > 1]:
        yield counted(len(twice), "operationIds that stand more than once", twice)
    if not found:
        yield "it describes no operation"


def _about(api: Api) -> tuple[Block, ...]:
    head = "\n".join(_head(api))
    first = Block(head, section=(SECTION,), anchors=(pointer("info"), pointer("servers")))
    if "security" in api.root:
        first = replace(first, links=requirement_line(api, api.root["security"]).links)
    return (first, *_described(api, mapping(api.root.get("info")).get("description")))


def _head(api: Api) -> Iterator[str]:
    root = api.root
    info = mapping(root.get("info"))
    name = named(info, "title") or "API"
    version = named(info, "version")
    form = f"OpenAPI {plain(root['openapi'])}" if "openapi" in root else ""
    form = form or f"Swagger {named(root, 'swagger')}"
    yield in_brackets(f"{name}, version {version}" if version else name, form)
    yield from filter(None, [one_line(info.get("summary"))])
    for url, about in _servers(root):
        yield in_brackets(f"server: {url}", about)
    if "security" in root:
        yield requirement_line(api, root["security"]).text
    for key in ("contact", "license"):
        said = [named(info.get(key), part) for part in ("name", "identifier", "email", "url")]
        if any(said):
            yield f"{key}: {', '.join(filter(None, said))}"
    if terms := named(info, "termsOfService"):
        yield f"terms of service: {terms}"
    if more := named(root.get("externalDocs"), "url"):
        yield f"more at {more}"


def _servers(root: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for server in map(mapping, sequence(root.get("servers"))):
        about = [one_line(server.get("description"))]
        for name, variable in mapping(server.get("variables")).items():
            values = map(plain, sequence(mapping(variable).get("enum")))
            choice = ", ".join(values) or one_line(mapping(variable).get("description"))
            default = named(variable, "default")
            about.append(f"{name}: {default} by default" + (f", of {choice}" if choice else ""))
        yield named(server, "url"), "; ".join(filter(None, about))
    if host := named(root, "host"):  # Swagger 2.0
        for scheme in map(plain, sequence(root.get("schemes")) or ["https"]):
            yield f"{scheme}://{host}{named(root, 'basePath')}", ""
    elif base := named(root, "basePath"):
        yield base, ""


def _described(api: Api, value: object) -> Iterator[Block]:
    for block in structured(api, value) or map(Block, paragraphs(value)):
        yield replace(block, section=(SECTION, *block.section))
