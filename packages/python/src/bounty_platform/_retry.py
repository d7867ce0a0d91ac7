"""Decides when a request is sent again."""

import random
from typing import Optional

from .errors import BountyApiError, BountyConnectionError, BountyTimeoutError

BASE_DELAY = 0.25
MAX_DELAY = 8.0
MAX_RETRY_AFTER = 60.0
"""A rate limit's window is a minute. The caller decides about longer waits, such as for a monthly quota."""
RETRY_AFTER_SPREAD = 0.5
"""This spreads clients that got the same `Retry-After`."""

UNCERTAIN = frozenset((408, 500, 502, 503, 504))
"""After one of these statuses, the platform may have carried out the request."""


def backoff(attempt: int) -> float:
    """Returns a random time (full jitter) in seconds, below a limit that doubles with each attempt."""
    return random.random() * min(MAX_DELAY, BASE_DELAY * 2 ** min(attempt, 10))


def retry_delay(error: Exception, *, attempt: int, is_repeatable: bool) -> Optional[float]:
    """Returns the pause in seconds before the same request is sent again, or None if it must not be sent again.

    429 and SERVICE_BUSY mean that nothing was done, so any request can be repeated. After other failures, only a repeatable one can.
    """
    if isinstance(error, (BountyConnectionError, BountyTimeoutError)):
        return backoff(attempt) if is_repeatable else None
    if not isinstance(error, BountyApiError):
        return None
    was_not_executed = error.status == 429 or error.code == "SERVICE_BUSY"
    if not was_not_executed and not (is_repeatable and error.status in UNCERTAIN):
        return None
    if error.retry_after is None:
        return backoff(attempt)
    if error.retry_after > MAX_RETRY_AFTER:
        return None
    return error.retry_after + random.random() * RETRY_AFTER_SPREAD


def is_transient(error: BaseException) -> bool:
    """Returns true if a later attempt can succeed: after a broken connection, 429, or a fault of the server."""
    if isinstance(error, (BountyConnectionError, BountyTimeoutError)):
        return True
    return isinstance(error, BountyApiError) and (error.status == 429 or error.status in UNCERTAIN)
