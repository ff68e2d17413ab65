"""YAML as this project reads it."""

import re
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """YAML 1.2's booleans: `off` and `no` are words, as in `mode: off`. No key is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 (the library's)
        """Return a mapping; raises yaml.YAMLError for one in which a value would be lost."""
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for key, _ in reversed(node.value):
            if names.count(key.value) > 1:
                said = f"the key {key.value} is there twice"
                raise yaml.constructor.ConstructorError(None, None, said, key.start_mark)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"true|True|TRUE|false|False|FALSE"), list("tTfF")
)


def read_yaml(text: str) -> Any:  # noqa: ANN401 (whatever the text holds)
    r"""Return what YAML says; raises yaml.YAMLError, and ValueError for what is no date.

    >>> read_yaml("mode: off\nshown: true")
    {'mode': 'off', 'shown': True}
    """
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 (a SafeLoader)
    except RecursionError as error:
        raise yaml.YAMLError("it is nested too deeply") from error
