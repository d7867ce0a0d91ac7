"""Waits until judging has ended, over streams or by polling."""

import time
from typing import Any, Callable, Optional

from ._core import Core
from ._follow import MAX_OUTAGE, STABLE, Connection, Outage, reconnect_delay
from ._retry import is_transient
from ._types import Input
from .errors import BountyApiError, BountyConnectionError, BountyTimeoutError

POLL = 5.0
DRY_RUN_POLL = 2.0
STREAM_IDLE = 30.0
"""A stream sends a comment every 20 s. If nothing arrives in this time, a proxy is holding the response back."""
MAX_STREAM_FAILURES = 2
POLLS_BETWEEN_STREAMS = 6


def is_over(submission: Any) -> bool:
    """Returns true if judging has ended, with or without a score."""
    ended = submission.status in ("failed", "evaluation_failed")
    return ended or (submission.status == "completed" and bool(submission.evaluated))


class Wait:
    """Reads the submission after each connection is open, so that nothing that happened between two connections is lost."""

    def __init__(
        self,
        core: Core,
        submission_id: str,
        *,
        timeout: Optional[float] = None,
        poll: float = POLL,
        max_outage: float = MAX_OUTAGE,
        on_progress: Optional[Callable[[Any], None]] = None,
    ) -> None:
        self._core = core
        self._id = submission_id
        self._end = None if timeout is None else time.monotonic() + timeout
        self._timeout = timeout
        self._poll = poll
        self._on_progress = on_progress
        self._outage = Outage(max_outage)
        self._last_event_id: Optional[str] = None
        self._reported: Any = None
        self._stream_failures = 0
        self._retry: Optional[float] = None
        """The platform asks to wait this long after a broken connection, so that watchers do not all reconnect at once."""

    async def run(self) -> Any:
        """Returns the submission when judging has ended. Raises BountyTimeoutError after the time limit."""
        turn, failures = 0, 0
        while True:
            started = time.monotonic()
            can_stream = self._stream_failures < MAX_STREAM_FAILURES or turn % POLLS_BETWEEN_STREAMS == 0
            failure: Optional[Exception] = None
            try:
                end = await (self._stream() if can_stream and self._left() > STREAM_IDLE else self._read())
                if end is not None:
                    return end
            except Exception as error:
                failure = error
                if not isinstance(error, BountyTimeoutError) or self._left() > 0:
                    self._outage.assert_passing(error)
            if time.monotonic() - started > STABLE:
                failures = 0
            is_polling = failure is None and (self._stream_failures >= MAX_STREAM_FAILURES or self._left() <= STREAM_IDLE)
            pause = self._poll if is_polling else reconnect_delay(failure, failures=failures, retry=self._retry)
            if pause >= self._left():
                await self._core.io.sleep(max(0.0, self._left()))
                last = await self._read()
                if last is not None:
                    return last
                raise BountyTimeoutError(f"Judging submission {self._id} has not ended within {self._timeout} s.")
            await self._core.io.sleep(pause)
            turn, failures = turn + 1, failures + 1

    def _left(self) -> float:
        return float("inf") if self._end is None else self._end - time.monotonic()

    async def _stream(self) -> Any:
        """Follows one connection. Returns None if it ended before judging did."""
        connection = Connection(self._core, Input("streamSubmission", path={"id": self._id}), self._last_event_id, STREAM_IDLE)
        try:
            is_open = await self._open(connection)
            state = await self._read()
            if state is not None or not is_open:
                return state
            async for event in connection.events():
                self._outage.end()
                if self._left() <= STREAM_IDLE:
                    return None
                if event is None:
                    continue
                self._last_event_id = event.id
                self._stream_failures = 0
                if self._report(event.data):
                    return event.data
        except Exception as error:
            # Reading works, so only the stream has failed.
            if is_transient(error):
                self._stream_failures += 1
            raise
        finally:
            self._retry = connection.retry or self._retry
            await connection.close()
        return None

    async def _open(self, connection: Connection) -> bool:
        """Returns false for a stream that cannot be opened here, or that has sent everything."""
        try:
            if await connection.open():
                return True
            # The submission has been judged again, so the next connection begins with the current state.
            self._last_event_id = None
            return False
        except Exception as error:
            self._stream_failures += 1
            if isinstance(error, BountyConnectionError):
                return False
            if isinstance(error, BountyApiError) and error.code.startswith("HTTP_"):
                return False
            raise

    async def _read(self) -> Any:
        """Reads the state, and returns None while judging continues."""
        state = await self._core.call(self._core.within(self._left(), Input("getSubmission", path={"id": self._id})))
        self._outage.end()
        return state if self._report(state) else None

    def _report(self, state: Any) -> bool:
        shown = (state.status, state.evaluated, state.scores, getattr(state, "waiting_for", None), getattr(state, "error_message", None))
        if shown != self._reported:
            self._reported = shown
            if self._on_progress is not None:
                self._on_progress(state)
        return is_over(state)


async def wait_for_dry_run(core: Core, dry_run_id: str, timeout: Optional[float], poll: float) -> Any:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        dry_run = await core.call(Input("getDryRun", path={"id": dry_run_id}))
        if dry_run.status != "running":
            return dry_run
        if end is not None and time.monotonic() + poll > end:
            raise BountyTimeoutError(f"Dry run {dry_run_id} has not ended within {timeout} s.")
        await core.io.sleep(poll)
