"""Whether and when a request that failed is sent again."""

import math
from typing import TypeVar

from research_agent.errors import ModelError, ModelUnavailableError

FIRST_WAIT, LONGEST_WAIT = 0.5, 30.0
"""Seconds: the waits of our own choice double from the first to the longest."""
LONGEST_ASKED = 120.0
"""Seconds; a server that asks for a longer wait than this is not waited for."""
LEAST_TRY = 1.0
"""Seconds that have to be left for another try after the wait."""

E = TypeVar("E", bound=ModelError)


def retry_delay(
    error: ModelError, tries: int, *, retries: int, left: float, chance: float
) -> float | None:
    """Return the seconds to wait before the next try after `tries` that failed; None: no more.

    There are `retries` tries beyond the first one. `left` are the seconds that the call still
    has, and `chance` is a random number in [0, 1). The wait is drawn from 0 to a limit that
    doubles with each try, so that clients which failed together do not come back together; where
    the server says how long to wait (Retry-After), it comes on top of that. There is no further
    try where trying again cannot help, where the wait and a short try do not fit into what is
    left, or where the server asks for more than 120 s.

    >>> down = ModelUnavailableError("down")
    >>> [retry_delay(down, n, retries=3, left=60.0, chance=0.5) for n in (1, 2, 3, 4)]
    [0.25, 0.5, 1.0, None]
    """
    asked = _asked_wait(error)
    if not error.retryable or tries > retries or asked > LONGEST_ASKED:
        return None
    own = min(LONGEST_WAIT, math.ldexp(FIRST_WAIT, min(tries - 1, 16)))
    wait = asked + chance * own
    return wait if wait + LEAST_TRY <= left else None


def final_error(error: E, tries: int) -> E:
    """Return the error of the last try with what a user has to know about all of them.

    It keeps its class and hint, and knows the number of tries. Where there was one try and no wait
    was asked for, it is the same error.

    >>> str(final_error(ModelUnavailableError("the server is busy", retry_after=300.0), 3))
    'the server is busy (after 3 tries; it asks to be left alone for 300 s)'
    """
    asked = _asked_wait(error)
    told = [f"after {tries} tries"] if tries > 1 else []
    if asked > 0:
        shown = "ever" if asked == math.inf else f"{math.ceil(asked)} s"
        told.append(f"it asks to be left alone for {shown}")
    if not told:
        return error
    final = type(error)(f"{error} ({'; '.join(told)})", hint=error.hint)
    final.tries = tries
    if isinstance(final, ModelUnavailableError) and isinstance(error, ModelUnavailableError):
        final.retry_after = error.retry_after
    return final


def _asked_wait(error: ModelError) -> float:
    """Return the seconds that the server asks for; what is no number counts as for ever."""
    asked = error.retry_after if isinstance(error, ModelUnavailableError) else None
    if asked is None:
        return 0.0
    return math.inf if math.isnan(asked) else max(0.0, asked)
