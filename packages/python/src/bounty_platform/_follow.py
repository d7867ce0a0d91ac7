"""Follows event streams, and reconnects when a connection breaks."""

import dataclasses
import json
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Optional

import httpx

from ._models import parse
from ._retry import backoff, is_transient
from ._sse import EventReader
from ._types import Input, StreamEvent
from .errors import BountyApiError, BountyConnectionError, make_error, parse_envelope

if TYPE_CHECKING:
    from ._core import Core

MAX_OUTAGE = 300.0
STABLE = 10.0
"""A connection that lives longer than this proves that the network works again."""
_PASSING_CODES = frozenset(("INTERNAL_ERROR", "OVERLOADED", "RATE_LIMITED", "SERVICE_BUSY"))
"""After an `error` event with one of these codes, reconnecting can help."""


class Connection:
    """One connection to a stream."""

    def __init__(self, core: "Core", given: Input, last_event_id: Optional[str], idle_timeout: float) -> None:
        self._core = core
        self._given = given
        self._reader = EventReader(last_event_id)
        self._idle_timeout = idle_timeout
        self._response: Optional[httpx.Response] = None

    @property
    def last_event_id(self) -> Optional[str]:
        return self._reader.last_id

    @property
    def retry(self) -> Optional[float]:
        return self._reader.retry

    async def open(self) -> bool:
        """False for 204, because everything has been sent."""
        last = self._reader.last_id
        headers = {"Accept": "text/event-stream", **({} if not last else {"Last-Event-ID": last})}
        given = dataclasses.replace(self._given, headers=headers, max_retries=0)
        response = await self._core.open(given, self._idle_timeout)
        self._response = response
        if response.status_code == 204:
            await self.close()
            return False
        if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
            await self.close()
            raise BountyConnectionError("The response is not a stream of server-sent events.")
        return True

    async def events(self) -> "AsyncIterator[Optional[StreamEvent[Any, Any]]]":
        """Yields the events as they arrive. None proves that the connection works. Raises an `error` event."""
        from ._core import explain

        if self._response is None:
            return
        kinds = self._core.operation(self._given.operation).events
        try:
            async for piece in self._core.io.pieces(self._response):
                for event in self._reader.feed(piece):
                    if event is None:
                        yield None
                    elif event.type == "error":
                        raise _to_error(event.data)
                    else:
                        yield StreamEvent(event.type, event.id, parse(kinds.get(event.type), _parse_data(event.data)))
        except httpx.HTTPError as error:
            raise explain(error, self._given.operation) from error

    async def close(self) -> None:
        if self._response is not None:
            await self._core.io.close_response(self._response)


def _to_error(data: str) -> Exception:
    envelope = parse_envelope(data)
    if envelope is None:
        return BountyConnectionError("The stream ended with an error that cannot be read.")
    code, message, details = envelope
    if code in _PASSING_CODES:
        return BountyConnectionError(f"The stream ended: {message}")
    return make_error(message, status=200, code=code, details=details)


def _parse_data(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise BountyConnectionError("The data of an event is not JSON.") from error


class Outage:
    """Measures how long the platform has been unreachable."""

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self._since: Optional[float] = None

    def end(self) -> None:
        """Records that the platform was reached."""
        self._since = None

    def assert_passing(self, error: BaseException) -> None:
        """Raises the error if a later attempt cannot succeed, or if the platform has been unreachable for too long."""
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        if not is_transient(error) or now - self._since >= self._longest:
            raise error


def reconnect_delay(failure: Optional[BaseException], *, failures: int, retry: Optional[float]) -> float:
    """Returns seconds. With `retry`, the platform spreads the reconnects, because a deployment breaks many connections at once."""
    if isinstance(failure, BountyApiError) and failure.retry_after is not None:
        return failure.retry_after + backoff(0)
    return max(retry or 0, backoff(failures))


async def follow(
    core: "Core",
    given: Input,
    *,
    last_event_id: Optional[str] = None,
    max_outage: float = MAX_OUTAGE,
    on_reconnect: Optional[Callable[[Optional[BaseException]], None]] = None,
    idle_timeout: float = 60.0,
) -> "AsyncIterator[StreamEvent[Any, Any]]":
    """Yields all events up to and including `terminal`. Each connection continues after the last event."""
    outage = Outage(max_outage)
    retry: Optional[float] = None
    failures = 0
    while True:
        started = time.monotonic()
        failure: Optional[BaseException] = None
        connection = Connection(core, given, last_event_id, idle_timeout)
        try:
            if not await connection.open():
                return
            async for event in connection.events():
                outage.end()
                last_event_id, retry = connection.last_event_id, connection.retry
                if event is None:
                    continue
                yield event
                if event.type == "terminal":
                    return
        except Exception as error:
            outage.assert_passing(error)
            failure = error
        finally:
            await connection.close()
        if time.monotonic() - started > STABLE:
            failures = 0
        if on_reconnect is not None:
            on_reconnect(failure)
        await core.io.sleep(reconnect_delay(failure, failures=failures, retry=retry))
        failures += 1
