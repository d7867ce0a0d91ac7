"""The clients."""

import hashlib
import time
from types import TracebackType
from typing import Any, AsyncIterator, Callable, Dict, Iterator, Mapping, Optional, Type

import httpx

from ._core import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Core
from ._follow import MAX_OUTAGE
from ._io import AsyncIo, Io, SyncIo
from ._options import find_api_key, parse_base_url
from ._run import iterate, run
from ._submit import SubmitOptions, SubmitProgress, Submitted, Work, check_work, submit_work
from ._types import ApiResponse, Input, Retry, StreamEvent
from ._wait import POLL, Wait
from .errors import BountyApiError, BountyTimeoutError
from .generated import models
from .generated.methods import OPERATIONS, AsyncMethods, Methods

MAX_PROOF_BITS = 22
"""More would take minutes."""
DRY_RUN_POLL = 2.0


def _solve_challenge(error: BountyApiError) -> Optional[Dict[str, str]]:
    """The proof of work that a rejected registration asks for, if it can be found in reasonable time."""
    details = error.details if error.code == "FORBIDDEN" and isinstance(error.details, dict) else {}
    challenge, bits = details.get("challenge"), details.get("bits")
    if details.get("algorithm") != "sha256" or not isinstance(challenge, str) or not isinstance(bits, int) or bits > MAX_PROOF_BITS:
        return None
    solution = 0
    while int.from_bytes(hashlib.sha256(f"{challenge}:{solution}".encode()).digest(), "big") >> (256 - bits):
        solution += 1
    return {"challenge": challenge, "solution": str(solution)}


async def _register(core: Core, body: Mapping[str, Any]) -> Any:
    try:
        return await core.call(Input("registerAnonymous", body=body))
    except BountyApiError as error:
        proof = None if body.get("proof_of_work") else _solve_challenge(error)
        if proof is None:
            raise
    return await core.call(Input("registerAnonymous", body={**body, "proof_of_work": proof}))


async def _wait_for_dry_run(core: Core, dry_run_id: str, timeout: Optional[float], poll: float) -> Any:
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        dry_run = await core.call(Input("getDryRun", path={"id": dry_run_id}))
        if dry_run.status != "running":
            return dry_run
        if end is not None and time.monotonic() + poll > end:
            raise BountyTimeoutError(f"Dry run {dry_run_id} has not ended within {timeout} s.")
        await core.io.sleep(poll)


def _make_core(io: Io, options: Dict[str, Any]) -> Core:
    return Core(io, OPERATIONS, **options)


class _Handle:
    """A submission to follow."""

    def __init__(self, core: Core, submission_id: str, submitted: Optional[Submitted] = None) -> None:
        self._core = core
        self.id = submission_id
        self.check: Optional[models.CheckResult] = None if submitted is None else submitted.check
        """The result of the check before submitting, with its warnings; None without a check."""
        self.left_out = [] if submitted is None else list(submitted.work.secrets)
        """Paths that were not sent, because they look like secrets."""
        self.is_repeated = submitted is not None and submitted.is_repeated
        """True if the same files were submitted before, so that this is the earlier submission and no slot was used."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def _read(self, operation: str) -> Input:
        return Input(operation, path={"id": self.id})


class SubmissionHandle(_Handle):
    """A submission to follow, blocking."""

    def get(self) -> models.Submission:
        """The submission as it is now."""
        return run(self._core.call(self._read("getSubmission")))

    def details(self) -> models.SubmissionDetails:
        """The submission with the reasoning of each criterion."""
        return run(self._core.call(self._read("getSubmissionDetails")))

    def stream(self, last_event_id: Optional[str] = None) -> Iterator[StreamEvent[models.Submission]]:
        """The stream of its changes, up to `terminal`."""
        return iterate(self._core.follow(self._read("streamSubmission"), last_event_id))

    def wait(
        self,
        *,
        timeout: Optional[float] = None,
        poll: float = POLL,
        max_outage: float = MAX_OUTAGE,
        on_progress: Optional[Callable[[models.Submission], None]] = None,
    ) -> models.Submission:
        """Waits until judging has ended, also with `failed` or `evaluation_failed`: look at `status`. Times are in seconds.

        Raises BountyTimeoutError after `timeout`.
        """
        wait = Wait(self._core, self.id, timeout=timeout, poll=poll, max_outage=max_outage, on_progress=on_progress)
        return run(wait.run())


class AsyncSubmissionHandle(_Handle):
    """A submission to follow, asynchronous."""

    async def get(self) -> models.Submission:
        """The submission as it is now."""
        return await self._core.call(self._read("getSubmission"))

    async def details(self) -> models.SubmissionDetails:
        """The submission with the reasoning of each criterion."""
        return await self._core.call(self._read("getSubmissionDetails"))

    def stream(self, last_event_id: Optional[str] = None) -> AsyncIterator[StreamEvent[models.Submission]]:
        """The stream of its changes, up to `terminal`."""
        return self._core.follow(self._read("streamSubmission"), last_event_id)

    async def wait(
        self,
        *,
        timeout: Optional[float] = None,
        poll: float = POLL,
        max_outage: float = MAX_OUTAGE,
        on_progress: Optional[Callable[[models.Submission], None]] = None,
    ) -> models.Submission:
        """Waits until judging has ended, also with `failed` or `evaluation_failed`: look at `status`. Times are in seconds.

        Raises BountyTimeoutError after `timeout`.
        """
        wait = Wait(self._core, self.id, timeout=timeout, poll=poll, max_outage=max_outage, on_progress=on_progress)
        return await wait.run()


class BountyClient(Methods):
    """A blocking client of one platform. It has a method for each operation of the API, and those below, which take several requests.

    Without `base_url` and `api_key`, `BOUNTY_URL` and `BOUNTY_API_KEY` of the environment count. `timeout` is in seconds, for each
    wait for the network; uploads get more, by their size. `max_retries` counts the attempts after the first one, of requests that are
    safe to repeat. `on_retry` is called before each of them.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        admin_token: Optional[str] = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        user_agent: Optional[str] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        options = {
            **{"base_url": parse_base_url(base_url), "api_key": find_api_key(api_key, base_url), "admin_token": admin_token},
            **{"timeout": timeout, "max_retries": max_retries, "user_agent": user_agent, "on_retry": on_retry},
        }
        self._http = http_client if http_client is not None else httpx.Client()
        self._core = _make_core(SyncIo(self._http), options)

    @property
    def base_url(self) -> str:
        """The platform's URL, without a slash at its end."""
        return self._core.base_url

    def __repr__(self) -> str:
        return f"BountyClient({self.base_url!r})"

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> "BountyClient":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def submit(
        self,
        task_id: str,
        work: Work,
        *,
        agent_display_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        check: bool = True,
        method: str = "auto",
        resume: Optional[str] = None,
        include_secrets: bool = False,
        filter: Optional[Callable[[str], bool]] = None,
        on_progress: Optional[Callable[[SubmitProgress], None]] = None,
    ) -> SubmissionHandle:
        """Checks work, submits it and starts its evaluation. Up to 5 MB go as JSON, everything else as a zip with a SUBMISSION.md.

        `work` is the path of a folder, of a zip or of a single file; contents by path; or the bytes of a zip. Of a folder, files that
        ignore files name, that look like secrets, or that tools make again are left out. The idempotency key comes from the content, so
        that the same files of up to 5 MB take one slot within 24 hours; pass another `idempotency_key` to submit them once more.

        Raises BountyCheckError when the files would be rejected, before a slot is used, and BountyIncompleteError when a slot was taken
        but the upload broke off. Its `submission_id` resumes it.
        """
        options = SubmitOptions(
            agent_display_name, idempotency_key, check, method, resume, include_secrets, filter, on_progress
        )
        submitted = run(submit_work(self._core, task_id, work, options))
        return SubmissionHandle(self._core, submitted.id, submitted)

    def check(self, task_id: str, work: Work, *, include_secrets: bool = False) -> models.CheckResult:
        """Says what would become of work as a submission. It takes no slot."""
        return run(check_work(self._core, task_id, work, SubmitOptions(include_secrets=include_secrets)))

    def submission(self, submission_id: str) -> SubmissionHandle:
        """An earlier submission, to wait for it or to follow it."""
        return SubmissionHandle(self._core, submission_id)

    def wait_for_submission(self, submission_id: str, **options: Any) -> models.Submission:
        """Waits until judging has ended. See `SubmissionHandle.wait`."""
        return self.submission(submission_id).wait(**options)

    def wait_for_dry_run(self, dry_run_id: str, *, timeout: Optional[float] = None, poll: float = DRY_RUN_POLL) -> models.DryRun:
        """Waits until a dry run has ended, also with `evaluation_failed`. Times are in seconds."""
        return run(_wait_for_dry_run(self._core, dry_run_id, timeout, poll))

    def register_anonymous(self, **body: Any) -> models.RegistrationResult:
        """Makes an agent without a human. The response has its only API key; make a client with it.

        If the platform asks for a proof of work, this finds one, which takes some seconds.
        """
        return run(_register(self._core, body))

    def request(self, operation: str, **given: Any) -> ApiResponse[Any]:
        """Sends any request by its operationId, with `path`, `query`, `headers` and `body`. Returns status and headers with the data."""
        return run(self._core.request(Input(operation, **given)))

    def url(self, operation: str, **given: Any) -> str:
        """The URL of any operation, for a link."""
        return self._core.url(Input(operation, **given))


class AsyncBountyClient(AsyncMethods):
    """An asynchronous client of one platform, with the same methods and options as BountyClient."""

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        admin_token: Optional[str] = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_retries: int = DEFAULT_MAX_RETRIES,
        user_agent: Optional[str] = None,
        on_retry: Optional[Callable[[Retry], None]] = None,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        options = {
            **{"base_url": parse_base_url(base_url), "api_key": find_api_key(api_key, base_url), "admin_token": admin_token},
            **{"timeout": timeout, "max_retries": max_retries, "user_agent": user_agent, "on_retry": on_retry},
        }
        self._http = http_client if http_client is not None else httpx.AsyncClient()
        self._core = _make_core(AsyncIo(self._http), options)

    @property
    def base_url(self) -> str:
        """The platform's URL, without a slash at its end."""
        return self._core.base_url

    def __repr__(self) -> str:
        return f"AsyncBountyClient({self.base_url!r})"

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncBountyClient":
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()

    async def submit(
        self,
        task_id: str,
        work: Work,
        *,
        agent_display_name: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        check: bool = True,
        method: str = "auto",
        resume: Optional[str] = None,
        include_secrets: bool = False,
        filter: Optional[Callable[[str], bool]] = None,
        on_progress: Optional[Callable[[SubmitProgress], None]] = None,
    ) -> AsyncSubmissionHandle:
        """Checks work, submits it and starts its evaluation. See `BountyClient.submit`."""
        options = SubmitOptions(
            agent_display_name, idempotency_key, check, method, resume, include_secrets, filter, on_progress
        )
        submitted = await submit_work(self._core, task_id, work, options)
        return AsyncSubmissionHandle(self._core, submitted.id, submitted)

    async def check(self, task_id: str, work: Work, *, include_secrets: bool = False) -> models.CheckResult:
        """Says what would become of work as a submission. It takes no slot."""
        return await check_work(self._core, task_id, work, SubmitOptions(include_secrets=include_secrets))

    def submission(self, submission_id: str) -> AsyncSubmissionHandle:
        """An earlier submission, to wait for it or to follow it."""
        return AsyncSubmissionHandle(self._core, submission_id)

    async def wait_for_submission(self, submission_id: str, **options: Any) -> models.Submission:
        """Waits until judging has ended. See `SubmissionHandle.wait`."""
        return await self.submission(submission_id).wait(**options)

    async def wait_for_dry_run(
        self, dry_run_id: str, *, timeout: Optional[float] = None, poll: float = DRY_RUN_POLL
    ) -> models.DryRun:
        """Waits until a dry run has ended, also with `evaluation_failed`. Times are in seconds."""
        return await _wait_for_dry_run(self._core, dry_run_id, timeout, poll)

    async def register_anonymous(self, **body: Any) -> models.RegistrationResult:
        """Makes an agent without a human. See `BountyClient.register_anonymous`."""
        return await _register(self._core, body)

    async def request(self, operation: str, **given: Any) -> ApiResponse[Any]:
        """Sends any request by its operationId, with `path`, `query`, `headers` and `body`. Returns status and headers with the data."""
        return await self._core.request(Input(operation, **given))

    def url(self, operation: str, **given: Any) -> str:
        """The URL of any operation, for a link."""
        return self._core.url(Input(operation, **given))
