"""A key of a YAML file changed in its text, so that comments and all else stay as they are."""

from contextlib import suppress
from pathlib import Path

import yaml

from research_agent.config import check_content
from research_agent.errors import ConfigError
from research_agent.yaml_text import read_yaml

STEP = 2
"""Spaces by which a section's keys are indented, where it has none yet."""


def edited(text: str, key: str, value: str, file: Path) -> str:
    r"""Return a file's text with another value at a key such as "models.chat.model".

    Raises ConfigError where the result would be no good configuration, or more would change.

    >>> print(edited("retrieval:\n  top_k: 30  # hits", "retrieval.top_k", "20", Path()))
    retrieval:
      top_k: 20  # hits
    """
    parts = key.split(".")
    new = _changed(text, parts, value)
    wanted = _merged(read_yaml(text), parts, read_yaml(value))
    with suppress(yaml.YAMLError):
        if read_yaml(new) == wanted:
            check_content(file, new.encode())
            return new
    said = f"{file}: {key} cannot be changed by itself"
    raise ConfigError(said, hint="Change it with an editor.")


def _changed(text: str, parts: list[str], value: str) -> str:
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    indent, at, behind = 0, len(text), 0
    for depth, part in enumerate(parts):
        if isinstance(node, yaml.MappingNode) and node.flow_style:
            whole = _merged(read_yaml(_cut(text, node)), parts[depth:], read_yaml(value))
            flow = yaml.safe_dump(whole, default_flow_style=True, width=10_000).strip()
            return text[: node.start_mark.index] + flow + text[node.end_mark.index :]
        found = {}
        if isinstance(node, yaml.MappingNode):
            indent = node.start_mark.column
            found = {one.value: (one, below) for one, below in node.value}
        if part not in found:
            before = text[:at] + ("" if not at or text[:at].endswith("\n") else "\n")
            return before + _nested(parts[depth:], value, indent) + text[at:]
        (name, node), indent = found[part], indent + STEP
        behind = name.end_mark.index
        at = (text.find("\n", behind) + 1) or len(text)
    if node is None or not _cut(text, node):  # (nothing is behind the colon)
        colon = text.index(":", behind) + 1
        return f"{text[:colon]} {value}{text[colon:]}"
    end = "\n" if isinstance(node, yaml.CollectionNode) and not node.flow_style else ""
    return text[: node.start_mark.index] + value + end + text[node.end_mark.index :]


def _cut(text: str, node: yaml.Node) -> str:
    return text[node.start_mark.index : node.end_mark.index]


def _nested(parts: list[str], value: str, indent: int) -> str:
    heads = [f"{' ' * (indent + STEP * at)}{part}:" for at, part in enumerate(parts)]
    return "\n".join(heads) + f" {value}\n"


def _merged(tree: object, parts: list[str], value: object) -> object:
    under = dict(tree) if isinstance(tree, dict) else {}
    first, *rest = parts
    under[first] = _merged(under.get(first), rest, value) if rest else value
    return under
