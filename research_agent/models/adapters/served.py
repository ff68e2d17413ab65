"""What a model server says about itself, beside its replies."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

MAX_BYTES = 2_000_000
"""Longer lists of models are not read."""
_BLOCK = 65_536
_LENGTHS = (
    "n_ctx",
    "max_model_len",
    "context_length",
    "context_window",
    "max_context_length",
    "max_context_window_tokens",
    "inputTokenLimit",
)
"""What servers call the tokens that a model reads at most; there is no standard."""


def context_of_embedded(base_url: str, key: str, *, seconds: float) -> int | None:
    """Return the context that a llama.cpp server at `base_url` (ending in /v1) was started with."""
    told = _get(f"{base_url.removesuffix('/v1')}/props", key, seconds=seconds, proxied=False)
    return _length(_section(told, "default_generation_settings")) or _length(told)


def context_of_served(
    base_url: str, model: str, key: str, *, seconds: float, proxied: bool
) -> int | None:
    """Return how many tokens a server's list of models gives for `model`; None where it does not.

    `proxied`: the environment's proxies are used, as for every server that is not on this machine.
    """
    url = f"{base_url.rstrip('/')}/models"
    told = _get(url, key, seconds=seconds, proxied=proxied)
    for entry in _listed(told):
        if entry.get("id") in (model, f"models/{model}"):
            return _length(entry) or _length(_section(entry, "meta"))
    return None


def _get(url: str, key: str, *, seconds: float, proxied: bool) -> Mapping[str, object]:
    """Return the JSON object at `url`; an empty one where anything is wrong."""
    if urlsplit(url).scheme not in ("http", "https"):
        return {}
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if not proxied:
        handlers.append(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})  # noqa: S310 (http alone, checked)
    ends = time.monotonic() + seconds
    try:
        with urllib.request.build_opener(*handlers).open(request, timeout=seconds) as reply:
            told = json.loads(_body(reply, ends))
    except (OSError, HTTPException, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key goes where the settings say, and nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


def _body(reply: HTTPResponse, ends: float) -> bytes:
    """Return what is sent until then; raises ValueError for too much or too slow a reply."""
    body = b""
    while block := reply.read1(_BLOCK):  # (`read` waits for a whole block, however it drips)
        body += block
        if len(body) > MAX_BYTES or time.monotonic() > ends:
            raise ValueError("too long")
    return body


def _listed(told: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    listed = told.get("data")
    return (item for item in (listed if isinstance(listed, list) else ()) if isinstance(item, dict))


def _section(told: Mapping[str, object], key: str) -> Mapping[str, object]:
    section = told.get(key)
    return section if isinstance(section, dict) else {}


def _length(told: Mapping[str, object]) -> int | None:
    """Return the first length that is one."""
    named = (told.get(name) for name in _LENGTHS)
    return next(
        (n for n in named if isinstance(n, int) and not isinstance(n, bool) and n > 0), None
    )
