"""A server with its limits, for the tests of what stands around a request."""

from collections.abc import Callable
from typing import Any

from research_agent.models.adapters.rate_limited import Pacing, Server, ServerLimits
from research_agent.models.server_capabilities import Rates


def limited(
    *,
    rates: Rates | None = None,
    restart: Callable[[], None] | None = None,
    pacing: Pacing | None = None,
    **limits: Any,  # noqa: ANN401 (those of ServerLimits)
) -> Server:
    return Server(ServerLimits(**limits), rates=rates, restart=restart, pacing=pacing)
