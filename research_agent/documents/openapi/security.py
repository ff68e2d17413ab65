"""Who may call: security schemes as items, and what an operation requires."""

from collections.abc import Iterator, Mapping

from research_agent.documents.openapi.lines import Item, Line
from research_agent.documents.openapi.tree import SCHEMES, Api, find, pointer
from research_agent.documents.openapi.values import (
    in_brackets,
    mapping,
    name_words,
    named,
    one_line,
    paragraphs,
    plain,
    sequence,
)
from research_agent.types.references import Link

SECTION = "Security"
NOT_NEEDED = "security: none, no authorization is needed"

_ADDRESSES = {
    "authorizationUrl": "authorization at",
    "deviceAuthorizationUrl": "device authorization at",
    "tokenUrl": "token from",
    "refreshUrl": "refreshed at",
}


def security_items(api: Api) -> Iterator[Item]:
    """Yield the security schemes."""
    for above in SCHEMES:
        for name, value in mapping(find(api.root, above)).items():
            yield Item(
                heading=in_brackets(f"Security scheme {name}", name_words(name)),
                lines=tuple(Line(text) for text in _texts(api, name, api.followed(value))),
                anchors=(pointer(*above, name),),
                section=(SECTION, name),
                kind="security",
                links=api.links(value),
            )


def requirement_line(api: Api, value: object) -> Line:
    """Return what an operation's `security` requires, with links to the schemes.

    Alternatives are joined by "or", what is needed together by "and".

    >>> requirement_line(Api({}), [{"key": []}, {"oauth": ["read", "write"]}]).text
    'security: key or oauth (scopes: read, write)'
    >>> requirement_line(Api({}), []).text
    'security: none, no authorization is needed'
    """
    choices = [mapping(choice) for choice in sequence(value)]
    if not any(choices):
        return Line(NOT_NEEDED)
    texts = [" and ".join(_required(name, s) for name, s in one.items()) for one in choices]
    said = " or ".join(text or "nothing" for text in texts)
    names = dict.fromkeys(name for choice in choices for name in choice)
    places = (api.place(SCHEMES, name) for name in names)
    links = tuple(Link(pointer(*place), "schema") for place in places if place)
    return Line(f"security: {said}", links, "security")


def unknown_schemes(api: Api, requirements: object) -> Iterator[str]:
    """Yield the names of security schemes that are required and nowhere described."""
    for choice in sequence(requirements):
        yield from (name for name in mapping(choice) if api.place(SCHEMES, name) is None)


def _required(name: str, scopes: object) -> str:
    listed = ", ".join(map(plain, sequence(scopes)))
    return in_brackets(name, f"scopes: {listed}" if listed else "")


def _texts(api: Api, name: str, scheme: Mapping[str, object]) -> Iterator[str]:
    yield f"requests to the API are authenticated by {_kind(scheme)}"
    yield from paragraphs(scheme.get("description"))
    if any(name in mapping(choice) for choice in sequence(api.root.get("security"))):
        yield "required by every operation that does not say otherwise"
    if form := named(scheme, "bearerFormat"):
        yield f"format of the token: {form}"
    if url := named(scheme, "openIdConnectUrl"):
        yield f"OpenID Connect address: {url}"
    flows = dict(mapping(scheme.get("flows")))
    if flow := named(scheme, "flow"):
        flows[flow] = scheme  # as Swagger 2.0 has it
    for flow, value in flows.items():
        inner = mapping(value)
        said = [f"{words} {named(inner, key)}" for key, words in _ADDRESSES.items() if key in inner]
        yield f"flow {flow}: {', '.join(said)}" if said else f"flow {flow}"
        for scope, about in mapping(inner.get("scopes")).items():
            yield f"scope {scope}: {one_line(about)}".removesuffix(": ")


def _kind(scheme: Mapping[str, object]) -> str:
    kind = named(scheme, "type")
    return {
        "http": f"HTTP {named(scheme, 'scheme')} authentication".replace("  ", " "),
        "basic": "HTTP basic authentication",
        "apiKey": f"an API key in the {named(scheme, 'in')} {named(scheme, 'name')}".rstrip(),
        "oauth2": "OAuth 2 authorization",
        "openIdConnect": "OpenID Connect authentication",
        "mutualTLS": "mutual TLS authentication",
    }.get(kind, f"what is called {kind}" if kind else "means that are not told")
