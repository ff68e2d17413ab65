"""An API description (OpenAPI 3, Swagger 2.0) as plain values -> a document."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from research_agent.documents.openapi.about import about_blocks
from research_agent.documents.openapi.lines import blocks_of
from research_agent.documents.openapi.messages import operation_ids, shared_items
from research_agent.documents.openapi.operations import Operation, operation_items, operations
from research_agent.documents.openapi.schemas import schema_items
from research_agent.documents.openapi.security import security_items, unknown_schemes
from research_agent.documents.openapi.tree import Api, is_remote, references
from research_agent.documents.openapi.values import named
from research_agent.types.documents import ParsedDocument

NAMED = 3
"""Names that a warning gives."""

_SINGULAR = {"lead": "leads", "are": "is", "stand": "stands"}


def api_document(root: Mapping[str, object]) -> ParsedDocument:
    r"""Return the document of an API description whose numbers are texts, as they were written.

    First what it says of the whole, then each tag followed by its operations, those without a
    tag, the schemas, the security schemes. References are links; those that lead nowhere or to
    another server are warnings.

    >>> paths = {"/pets": {"get": {"operationId": "listPets", "summary": "All pets."}}}
    >>> document = api_document({"openapi": "3.0.3", "paths": paths})
    >>> document.blocks[1].text
    'GET /pets listPets (list pets)\nAll pets.'
    """
    api = Api(root)
    found = tuple(operations(api))
    items = (
        *operation_items(api, found),
        *schema_items(api),
        *shared_items(api),
        *security_items(api),
    )
    blocks = (*about_blocks(api), *(block for item in items for block in blocks_of(item)))
    title = named(root.get("info"), "title")
    return ParsedDocument(blocks, title=title, warnings=tuple(_warnings(api, found)))


def told(count: int, what: str, names: Sequence[str]) -> str:
    """Return a warning with the first names.

    >>> told(5, "references lead nowhere", ["#/a", "#/b", "#/c", "#/d"])
    '5 references lead nowhere: #/a, #/b, #/c and 1 more'
    >>> told(1, "references lead nowhere", ["#/a"])
    '1 reference leads nowhere: #/a'
    """
    more = len(names) - NAMED
    listed = ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
    if count == 1:
        noun, verb, rest = what.split(" ", 2)
        what = f"{noun.removesuffix('s')} {_SINGULAR.get(verb, verb)} {rest}"
    return f"{count} {what}: {listed}"


def _warnings(api: Api, found: Sequence[Operation]) -> Iterator[str]:
    """Yield what is wrong with a description, a sentence for each kind of fault."""
    known = Counter(operation.identifier for operation in found if operation.identifier)
    dangling = api.dangling()
    for value in (api.root, *(operation.value for operation in found)):
        dangling.update(f"security scheme {n}" for n in unknown_schemes(api, value.get("security")))
    for operation in found:
        wanted = operation_ids(api, operation.value)
        dangling.update(f"operation {name}" for name in wanted if name not in known)
    if dangling:
        yield told(dangling.total(), "references lead nowhere", list(dangling))
    written = Counter(references(api.root))
    if circles := [reference for reference in written if api.is_circle(reference)]:
        yield told(len(circles), "references lead back to themselves", circles)
    if remote := [reference for reference in written if is_remote(reference)]:
        count = sum(written[reference] for reference in remote)
        yield told(count, "references are not followed to other servers", remote)
    if twice := [name for name, count in known.items() if count > 1]:
        yield told(len(twice), "operationIds stand more than once", twice)
    if not found:
        yield "it describes no operation"
