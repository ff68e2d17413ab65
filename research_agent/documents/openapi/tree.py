"""An API description as a tree, and where its references lead."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from research_agent.documents.openapi.pointers import (
    MISSING,
    find,
    is_remote,
    pointer,
    split_reference,
    tokens_of,
)
from research_agent.documents.openapi.references import SCHEMAS, SCHEMES, outside, owner, references
from research_agent.documents.openapi.values import mapping
from research_agent.types.references import Link

LONGEST_CHAIN = 50
"""References that are followed one after the other."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API description, as a tree of plain values."""

    root: Mapping[str, object]

    def schema_place(self, name: str) -> tuple[str, ...] | None:
        """Return where the schema of that name stands; None where there is none."""
        return self._place(SCHEMAS, name)

    def scheme_place(self, name: str) -> tuple[str, ...] | None:
        """Return where the security scheme of that name stands; None where there is none."""
        return self._place(SCHEMES, name)

    def locate(self, reference: str) -> tuple[str, ...] | None:
        """Return the keys a local reference leads to; None where it leads nowhere, or outside.

        A bare name is a schema's, and so is a name with a slash that nobody has escaped.

        >>> api = Api({"definitions": {"a/b": {}}})
        >>> api.locate("a/b"), api.locate("#/definitions/a/b"), api.locate("#/definitions/c")
        (('definitions', 'a/b'), ('definitions', 'a/b'), None)
        """
        path, fragment = split_reference(reference)
        if path:
            return None if is_remote(path) or fragment else self.schema_place(path)
        tokens = tokens_of(fragment)
        if find(self.root, tokens) is not MISSING:
            return tokens
        for above in SCHEMAS:
            if tokens[: len(above)] == above:
                return self.schema_place("/".join(tokens[len(above) :]))
        return None

    def followed(self, value: object) -> Mapping[str, object]:
        """Return what a value stands for: itself, or what its local reference leads to.

        What stands beside the reference comes on top. A circle is nothing.

        >>> api = Api({"components": {"parameters": {"Id": {"in": "path"}}}})
        >>> api.followed({"$ref": "#/components/parameters/Id", "description": "d"})
        {'in': 'path', 'description': 'd'}
        """
        beside: dict[str, object] = {}
        for _ in range(LONGEST_CHAIN):
            here = mapping(value)
            beside = {key: item for key, item in here.items() if key != "$ref"} | beside
            reference = here.get("$ref")
            place = self.locate(reference) if isinstance(reference, str) else None
            if place is None:
                return {**here, **beside}
            value = find(self.root, place)
        return {}

    def links(self, value: object) -> tuple[Link, ...]:
        """Return where all references inside a value lead, each once, in reading order.

        Parts without a chunk of their own, such as shared parameters, are followed to what they
        refer to. What leads nowhere or to another server is left out.
        """
        found: dict[str, None] = {}
        seen: set[str] = set()
        pending = list(references(value))[::-1]
        while pending:
            reference = pending.pop()
            if reference in seen:
                continue
            seen.add(reference)
            place = self.locate(reference)
            if place is None:
                if target := outside(reference):
                    found[target] = None
            elif above := owner(place):
                found[pointer(*above)] = None
            else:
                pending += list(references(find(self.root, place)))[::-1]
        return tuple(Link(target, "schema") for target in found)

    def dangling(self) -> Counter[str]:
        """Return the references that lead nowhere, those to other documents not counted."""
        return Counter(
            reference
            for reference in references(self.root)
            if self.locate(reference) is None
            and not outside(reference)
            and not is_remote(reference)
        )

    def remote(self) -> Counter[str]:
        """Return the references to other servers."""
        return Counter(reference for reference in references(self.root) if is_remote(reference))

    def circles(self) -> list[str]:
        """Return the references that lead, one after the other, back to themselves.

        A schema that holds itself is none of them: something stands between.
        """
        found = Counter(references(self.root))
        return [reference for reference in found if self._is_circle(reference)]

    def _is_circle(self, reference: str) -> bool:
        seen: set[str] = set()
        while reference not in seen:
            seen.add(reference)
            place = self.locate(reference)
            following = mapping(find(self.root, place)).get("$ref") if place else None
            if not isinstance(following, str):
                return False
            reference = following
        return True

    def _place(self, places: tuple[tuple[str, ...], ...], name: str) -> tuple[str, ...] | None:
        found = ((*above, name) for above in places)
        return next((place for place in found if find(self.root, place) is not MISSING), None)
