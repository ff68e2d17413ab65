"""What a model server says about itself, beside its replies: how many tokens it reads."""

import time
from collections.abc import Mapping
from typing import Any

MAX_BYTES = 2_000_000
"""Longer lists of models are not read."""
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
    return _length(told.get("default_generation_settings")) or _length(told)


def context_of_served(
    base_url: str, model: str, key: str, *, seconds: float, proxied: bool
) -> int | None:
    """Return how many tokens a server's list of models gives for `model`; None where it does not.

    `proxied`: the environment's proxies are used, as for every server that is not on this machine.
    """
    listed = _get(f"{base_url.rstrip('/')}/models", key, seconds=seconds, proxied=proxied).get(
        "data"
    )
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("id") in (model, f"models/{model}"):
            return _length(entry) or _length(entry.get("meta"))
    return None


def _get(url: str, key: str, *, seconds: float, proxied: bool) -> Mapping[str, Any]:
    """Return the JSON object at `url`; an empty one where anything is wrong.

    Redirects are not followed: a key goes where the settings say.
    """
    import json

    import httpx2

    ends, body = time.monotonic() + seconds, b""
    try:
        with (
            httpx2.Client(trust_env=proxied, timeout=seconds) as client,
            client.stream("GET", url, headers={"Authorization": f"Bearer {key}"}) as reply,
        ):
            for part in reply.raise_for_status().iter_bytes():
                body += part
                if len(body) > MAX_BYTES or time.monotonic() > ends:
                    return {}
        told = json.loads(body)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError, RecursionError, ImportError):
        return {}
    return told if isinstance(told, dict) else {}


def _length(told: object) -> int | None:
    named = (told.get(name) for name in _LENGTHS) if isinstance(told, dict) else ()
    return next(
        (n for n in named if isinstance(n, int) and not isinstance(n, bool) and n > 0), None
    )
