"""API descriptions (OpenAPI 3, Swagger 2.0) in JSON and YAML -> plain values -> a document.

Numbers and dates stay texts. YAML cannot explode: aliases are shared, their size is counted.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import yaml

from research_agent.documents.openapi.reading import api_document, counted
from research_agent.documents.openapi.tree import Markdown
from research_agent.errors import DocumentError
from research_agent.types.documents import ParsedDocument

MEND = "mend that place and index the file again"
DEEPEST = 100  # containers in containers at most; descriptions of real APIs have about 30
MOST_REPEATED = 1_000_000
"""Values that aliases of YAML may mean together; a text counts as one more for 32 characters."""
CHARS_A_VALUE = 32

_YAML_KEY = re.compile(
    r"""^\ufeff?["']?(?:openapi|swagger)["']?[ \t]*:[ \t]+["']?[23](?!\d)""", re.MULTILINE
)
_JSON_VERSION = re.compile(r'\s*:\s*"?[23](?!\d)')
_JSON_PIECE = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_KEYS = ('"openapi"', '"swagger"')
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_UNPRINTABLE = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)
_LOADER: type[yaml.SafeLoader] = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # C: six times as fast
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MERGE = "<<"

T = TypeVar("T")

_Loaded = tuple[object, tuple[str, ...], bool]
"""The values of a text, duplicate keys, and whether another document follows."""


def is_api(text: str) -> bool:
    """Say whether `openapi` or `swagger` is at a text's top level with a version we read.

    >>> is_api('{"info": {}, "openapi": "3.1.0"}'), is_api("swagger: '2.0'")
    (True, True)
    >>> is_api('{"dependencies": {"openapi": "3.1.0"}}'), is_api("swagger: '1.2'")
    (False, False)
    """
    if not text.lstrip("\ufeff \t\n").startswith("{"):
        return _YAML_KEY.search(text) is not None
    if not any(key in text for key in _KEYS):
        return False
    depth = 0
    for match in _JSON_PIECE.finditer(text):
        piece = match[0]
        if depth == 1 and piece in _KEYS and _JSON_VERSION.match(text, match.end()):
            return True
        depth += (piece in {"{", "["}) - (piece in {"}", "]"})
    return False


def parse_api(text: str, markdown: Markdown, *, ending: str = ".json") -> ParsedDocument | None:
    """Return the operations, schemas and security schemes of an API description; else None.

    `markdown` reads what is said of them. Raises DocumentError with line and column for a text that
    is neither JSON nor YAML.

    >>> text = '{"openapi": "3.0.0", "info": {"title": "Pets"}, "paths": null}'
    >>> parse_api(text, lambda text: ()).title
    'Pets'
    """
    loaded, twice, more = _loaded(text.removeprefix("\ufeff"), ending)
    value = _clean(loaded)
    if not isinstance(value, dict) or not value.keys() & {"openapi", "swagger"}:
        return None
    warnings = []
    if twice:
        warnings.append(counted(len(twice), "keys that stand twice, the last one counts", twice))
    if more:
        warnings.append("only the first of its YAML documents is read")
    document = api_document(value, markdown)
    return replace(document, warnings=(*warnings, *document.warnings))


def _loaded(text: str, ending: str) -> _Loaded:
    if ending == ".json":
        return _load_json(text)
    if text.lstrip().startswith("{"):
        try:
            return _load_json(text)
        except DocumentError:
            pass
    return _load_yaml(text)


def _clean(value: object) -> object:
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value
        whole = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return whole.translate(_CONTROLS)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    return value


def _load_json(text: str) -> _Loaded:
    twice: list[str] = []

    def to_dict(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice.extend(key for key, count in counts.items() if count > 1)
        return made

    try:
        value: object = json.loads(
            text,
            strict=False,
            parse_int=str,
            parse_float=str,
            parse_constant=str,
            object_pairs_hook=to_dict,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(f"not valid JSON: {error.msg} ({where})", hint=MEND) from error
    except RecursionError as error:
        raise _too_deep() from error
    level = [value]
    for _ in range(DEEPEST + 1):
        containers = [item for item in level if isinstance(item, dict | list)]
        level = [i for c in containers for i in (c.values() if isinstance(c, dict) else c)]
    if level:
        raise _too_deep()
    return value, tuple(twice), False


def _too_deep(where: str = "") -> DocumentError:
    return DocumentError(
        f"nested more than {DEEPEST} levels deep{where}",
        hint="no description of an API is; leave the file out with documents.exclude",
    )


def _load_yaml(text: str) -> _Loaded:
    events = yaml.parse(_UNPRINTABLE.sub(" ", text), Loader=_LOADER)
    values = _Values(events)
    result: object = None
    begun = False
    try:
        for event in events:
            if begun and isinstance(event, yaml.DocumentStartEvent):
                return result, tuple(values.twice), True
            if isinstance(event, yaml.NodeEvent):
                result, begun = values.next(event)[0], True
    except yaml.MarkedYAMLError as error:
        place = _where(error.problem_mark or error.context_mark)
        said = error.problem or error.context or "it cannot be read"
        raise DocumentError(f"not valid YAML: {said}{place}", hint=MEND) from error
    except yaml.YAMLError as error:
        raise DocumentError(f"not valid YAML: {error}", hint=MEND) from error
    return result, tuple(values.twice), False


class _Mark(Protocol):
    line: int
    column: int


@dataclass(slots=True)
class _Values:
    events: Iterator[yaml.Event]
    twice: list[str] = field(default_factory=list)
    anchors: dict[str, tuple[object, int] | None] = field(default_factory=dict)
    """What an alias means; None while its end has not come yet."""
    repeated: int = 0

    def next(self, event: yaml.NodeEvent, depth: int = 1) -> tuple[object, int]:
        """Return the value that begins with `event`, at a `depth` counted from 1."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            value = _WORDS.get(event.value, event.value) if event.implicit[0] else event.value
            return self._kept(event, value, 1 + len(event.value) // CHARS_A_VALUE)
        if depth > DEEPEST:
            raise _too_deep(_where(event.start_mark))
        if event.anchor:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.MappingStartEvent):
            return self._kept(event, *self._mapping(depth))
        found = [self.next(inner, depth + 1) for inner in self._until_end()]
        return self._kept(event, [value for value, _ in found], 1 + sum(size for _, size in found))

    def _mapping(self, depth: int) -> tuple[dict[str, object], int]:
        made: dict[str, object] = {}
        merged: list[object] = []
        total = 1
        for event in self._until_end():
            key, size = self._key(event)
            if key in made:
                line = event.start_mark.line + 1 if event.start_mark else 0
                self.twice.append(f"{key} in line {line}")
            value, inner = self.next(next(self._until_end()), depth + 1)
            total += size + inner
            if key == _MERGE:
                merged += value if isinstance(value, list) else [value]
            else:
                made[key] = value
        for held in merged:
            for key, value in held.items() if isinstance(held, dict) else ():
                made.setdefault(key, value)
        return made, total

    def _key(self, event: yaml.NodeEvent) -> tuple[str, int]:
        if isinstance(event, yaml.ScalarEvent):
            return self._kept(event, event.value, 1 + len(event.value) // CHARS_A_VALUE)
        found, size = self._alias(event) if isinstance(event, yaml.AliasEvent) else (None, 0)
        if not isinstance(found, str):
            raise DocumentError(f"a key is no plain text{_where(event.start_mark)}", hint=MEND)
        return found, size

    def _alias(self, event: yaml.AliasEvent) -> tuple[object, int]:
        found = self.anchors.get(event.anchor or "")
        place = _where(event.start_mark)
        if found is None:
            inside = event.anchor in self.anchors
            fault = "stands for what it is in" if inside else "stands for nothing"
            raise DocumentError(f"the alias *{event.anchor} {fault}{place}", hint=MEND)
        self.repeated += found[1]
        if self.repeated > MOST_REPEATED:
            raise DocumentError(
                f"its aliases stand for more than {MOST_REPEATED:,} values{place}",
                hint="write out what is meant, or leave the file out with documents.exclude",
            )
        return found

    def _kept(self, event: yaml.NodeEvent, value: T, size: int) -> tuple[T, int]:
        if event.anchor:
            self.anchors[event.anchor] = (value, size)
        return value, size

    def _until_end(self) -> Iterator[yaml.NodeEvent]:
        while isinstance(event := next(self.events), yaml.NodeEvent):
            yield event


def _where(mark: _Mark | None) -> str:
    return f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
