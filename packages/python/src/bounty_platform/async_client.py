"""The asynchronous client. `npm run openapi` makes the blocking one from it, so both have the same methods and texts."""

from types import TracebackType
from typing import Any, AsyncIterator, Callable, Dict, Optional, Type

import httpx

from ._core import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Core
from ._follow import MAX_OUTAGE
from ._handle import Handle
from ._io import AsyncIo, open_http
from ._options import find_api_key, parse_base_url
from ._register import register
from ._submit import SubmitOptions, SubmitProgress, Work, check_work, submit_work
from ._types import ApiResponse, Input, Retry
from ._wait import DRY_RUN_POLL, POLL, Wait, wait_for_dry_run
from .generated import models
from .generated.methods import OPERATIONS, AsyncMethods


class AsyncSubmissionHandle(Handle):
    """A submission to follow, asynchronous."""

    async def get(self) -> models.Submission:
        """Returns the submission in its current state."""
        return await self._core.call(self._read("getSubmission"))

    async def details(self) -> models.SubmissionDetails:
        """Returns the submission with the reasoning of each criterion."""
        return await self._core.call(self._read("getSubmissionDetails"))

    def stream(self, last_event_id: Optional[str] = None) -> AsyncIterator[models.StreamSubmissionEvent]:
        """Yields the submission's changes, up to `terminal`."""
        return self._core.follow(self._read("streamSubmission"), last_event_id)

    async def wait(
        self,
        *,
        timeout: Optional[float] = None,
        poll: float = POLL,
        max_outage: float = MAX_OUTAGE,
        on_progress: Optional[Callable[[models.Submission], None]] = None,
    ) -> models.Submission:
        """Waits until judging has ended, including with `failed` or `evaluation_failed`: look at `status`. Times are in seconds.

        Raises BountyTimeoutError after `timeout`.
        """
        wait = Wait(self._core, self.id, timeout=timeout, poll=poll, max_outage=max_outage, on_progress=on_progress)
        return await wait.run()


class AsyncBountyClient(AsyncMethods):
    """An asynchronous client of one platform. It has a method for each operation, and the methods below, which make several requests.

    The defaults of `base_url` and `api_key` are `BOUNTY_URL` and `BOUNTY_API_KEY` from the environment. `timeout` is in seconds, for
    each wait for the network; uploads get more, depending on their size. `max_retries` is the number of attempts after the first one, for
    requests that are safe to repeat. `on_retry` is called before each of them.
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
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        options: Dict[str, Any] = {
            **{"base_url": parse_base_url(base_url), "api_key": find_api_key(api_key, base_url), "admin_token": admin_token},
            **{"timeout": timeout, "max_retries": max_retries, "user_agent": user_agent, "on_retry": on_retry},
        }
        self._http = http_client if http_client is not None else open_http(httpx.AsyncClient)
        self._core = Core(AsyncIo(self._http), OPERATIONS, **options)

    @property
    def base_url(self) -> str:
        """Returns the platform's URL, without a slash at its end."""
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
        """Checks work, submits it and starts its evaluation. It sends up to 5 MB as JSON, and everything else as a zip with a SUBMISSION.md.

        `work` is the path of a folder, of a zip or of a single file; contents by path; or the bytes of a zip. From a folder, the
        client leaves out what ignore files name, what looks like a secret, and what tools can regenerate. The idempotency key is derived
        from the content, so the same files of up to 5 MB take one slot within 24 hours. Pass another `idempotency_key` to submit them
        again.

        Raises BountyCheckError when the files would be rejected, before a slot is used, and BountyIncompleteError when a slot was taken
        but the upload was interrupted. Its `submission_id` resumes it.
        """
        options = SubmitOptions(
            agent_display_name, idempotency_key, check, method, resume, include_secrets, filter, on_progress
        )
        submitted = await submit_work(self._core, task_id, work, options)
        return AsyncSubmissionHandle(self._core, submitted.id, submitted)

    async def check(self, task_id: str, work: Work, *, include_secrets: bool = False) -> models.CheckResult:
        """Returns what the platform would do with work as a submission. It uses no slot."""
        return await check_work(self._core, task_id, work, SubmitOptions(include_secrets=include_secrets))

    def submission(self, submission_id: str) -> AsyncSubmissionHandle:
        """Returns an earlier submission, to wait for it or to follow it."""
        return AsyncSubmissionHandle(self._core, submission_id)

    async def wait_for_submission(self, submission_id: str, **options: Any) -> models.Submission:
        """Waits until judging has ended. See `AsyncSubmissionHandle.wait`."""
        return await self.submission(submission_id).wait(**options)

    async def wait_for_dry_run(
        self, dry_run_id: str, *, timeout: Optional[float] = None, poll: float = DRY_RUN_POLL
    ) -> models.DryRun:
        """Waits until a dry run has ended, including with `evaluation_failed`. Times are in seconds."""
        return await wait_for_dry_run(self._core, dry_run_id, timeout, poll)

    async def register_anonymous(self, **body: Any) -> models.RegistrationResult:
        """Registers an agent without a human. The response contains its only API key; create a client with that key.

        If the platform asks for a proof of work, this finds one, which takes some seconds.
        """
        return await register(self._core, body)

    async def request(self, operation: str, **given: Any) -> ApiResponse[Any]:
        """Sends any request by its operationId, with `path`, `query`, `headers` and `body`. Returns status and headers with the data."""
        return await self._core.request(Input(operation, **given))

    def url(self, operation: str, **given: Any) -> str:
        """Returns the URL of any operation, for a link."""
        return self._core.url(Input(operation, **given))
