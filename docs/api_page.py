"""`docs/api.md`: every public name with its signature, fields and docstring, as text."""

import ast
import inspect
from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import research_agent
from research_agent import errors
from research_agent.setting_fields import descriptions

HEAD = """# Public names

All of them are imported from `research_agent`; errors from `research_agent.errors`. What is not
here may change without notice. Versions follow semantic versioning: until 1.0 a new minor version
may change a public name, and CHANGELOG.md says so.

This page is generated: `python docs/api_page.py > docs/api.md`.
"""
OURS = ("research_agent", "graphs")


def api_page() -> str:
    """Return the page."""
    lines = [HEAD]
    for name in research_agent.__all__:
        lines += ["", f"## {name}", "", *_described(getattr(research_agent, name))]
    lines += ["", "## Errors", ""]
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        lines.append(f"- `{name}({kind.__bases__[0].__name__})`: {inspect.getdoc(kind)}")
    return "\n".join(lines) + "\n"


def _described(item: object) -> Iterator[str]:
    if inspect.isclass(item):
        yield inspect.getdoc(item) or ""
        yield from _members(item)
    elif inspect.isfunction(item):
        yield from _call("", ast.parse(inspect.getsource(item)).body[0])
    else:
        yield "One of the events below and above, told apart by `event`."


def _members(item: type) -> Iterator[str]:
    fields: dict[str, str] = {}
    methods: dict[str, ast.stmt] = {}
    ours = [one for one in item.__mro__ if one.__module__.partition(".")[0] in OURS]
    for owner in reversed(ours):
        told, kinds = descriptions(owner), vars(owner).get("__annotations__", {})
        for node in getattr(ast.parse(inspect.getsource(owner)).body[0], "body", ()):
            if isinstance(node, ast.AnnAssign):
                name, values = ast.unparse(node.target), get_args(kinds[ast.unparse(node.target)])
                literal = get_origin(kinds[name]) is Literal
                kind = f"Literal{[*values]}" if literal else ast.unparse(node.annotation)
                if hasattr(kinds[name], "__metadata__"):  # (Annotated: its type, without the rest)
                    kind = ast.unparse(node.annotation.slice.elts[0])  # type: ignore[attr-defined]
                fields[name] = f"- `{name}: {kind}`" + (f": {told[name]}" if name in told else "")
            elif not getattr(node, "name", "_").startswith("_"):
                methods[node.name] = node
    yield from ["", *fields.values()] if fields else ()
    for name, method in methods.items():
        yield from ("", f"### {item.__name__}.{name}", "", *_call(f"{item.__name__}.", method))


def _call(owner: str, node: ast.stmt) -> Iterator[str]:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    if "property" not in map(ast.unparse, node.decorator_list):
        own = [one for one in node.args.args if one.arg not in ("self", "cls")]
        node.args.args = own
        for part in (*own, *node.args.kwonlyargs):
            if isinstance(part.annotation, ast.Constant):  # (a text: imported for types alone)
                part.annotation = ast.Name(str(part.annotation.value))
        given = ast.unparse(node.args).replace("=", " = ").replace("'", '"')
        back = ast.unparse(node.returns or ast.Constant(None)).strip("'")
        yield from (f"`{owner}{node.name}({given}) -> {back}`", "")
    yield (ast.get_docstring(node) or "").partition("\n>>> ")[0].strip()


if __name__ == "__main__":
    print(api_page(), end="")
