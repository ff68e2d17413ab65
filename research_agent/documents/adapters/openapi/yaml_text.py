"""YAML -> plain values, of the first document in a text."""

import re

import yaml

from research_agent.documents.adapters.openapi.json_text import MEND
from research_agent.documents.adapters.openapi.yaml_values import Builder, where
from research_agent.errors import DocumentError

_UNPRINTABLE = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)


def load_yaml(text: str) -> tuple[object, tuple[str, ...], bool]:
    r"""Return the first document's values, the keys that stand twice, and whether more follow.

    Of a key that stands twice the last one counts. Raises DocumentError with line and column.

    >>> load_yaml("200: on\nb: [1.10, 2020-01-01, true]\nb: ~\n")
    ({'200': 'on', 'b': None}, ('b in line 3',), False)
    """
    builder = Builder()
    try:
        for event in yaml.parse(_UNPRINTABLE.sub(" ", text), Loader=_loader()):
            if builder.done and isinstance(event, yaml.DocumentStartEvent):
                return builder.result, tuple(builder.twice), True
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        place = where(error.problem_mark or error.context_mark)
        said = error.problem or error.context or "it cannot be read"
        raise DocumentError(f"not valid YAML: {said}{place}", hint=MEND) from error
    except yaml.YAMLError as error:
        raise DocumentError(f"not valid YAML: {error}", hint=MEND) from error
    return builder.result, tuple(builder.twice), False


def _loader() -> type[yaml.SafeLoader]:
    """Return the reader written in C, where there is one: it is about six times as fast."""
    found: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return found
