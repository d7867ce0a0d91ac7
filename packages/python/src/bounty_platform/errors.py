"""Defines everything that the client raises by itself."""

import json
import re
from email.utils import parsedate_to_datetime
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, Union

from .generated.codes import ErrorCode


class BountyError(Exception):
    """The base of all errors of this package."""


class BountyUsageError(BountyError, ValueError):
    """The call cannot be made like this: a wrong option, path or argument. Nothing was sent."""


class BountyConnectionError(BountyError):
    """No complete response arrived: the host is unknown, the connection broke, or the body is not what a platform sends."""


class BountyTimeoutError(BountyError):
    """The response did not arrive in time. The platform may have carried out the request."""


class BountyCheckError(BountyError):
    """The check before submitting found problems. No slot was used."""

    def __init__(self, check: Any) -> None:
        messages = [problem.message for problem in check.problems] or ["The files would be rejected."]
        more = "" if len(messages) == 1 else f" (1 of {len(messages)} problems)"
        super().__init__(f"{messages[0]}{more}")
        self.check = check

    @property
    def problems(self) -> List[Any]:
        return list(self.check.problems)


class BountyIncompleteError(BountyError):
    """A slot is taken, but the artifact did not arrive. Submit again with `resume=error.submission_id`, which takes no other slot."""

    def __init__(self, submission_id: str, cause: BaseException) -> None:
        super().__init__(
            f'Submission {submission_id} is registered but not complete. Submit again with resume="{submission_id}". {cause}'
        )
        self.submission_id = submission_id


class VerificationError(BountyError):
    """A receipt is not valid, or a task does not match its digest. The message says why."""


class WebhookVerificationError(BountyError):
    """A delivery was not signed with the secret, or is too old."""


class BountyWarning(UserWarning):
    """A warning to the caller, for example about files that were left out."""


class BountyApiError(BountyError):
    """The platform rejected the request. `code` says why."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        details: Any = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        method: Optional[str] = None,
        url: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code: Union[ErrorCode, str] = code
        """The stable name of the error, such as `NOT_FOUND`. `HTTP_<status>` if a proxy responded instead of the platform."""
        self.status = status
        self.details = details
        """Facts about the error, or a list of `{path, message}` for a validation error."""
        self.request_id = request_id
        """Names the request in the platform's log."""
        self.retry_after = retry_after
        """After this number of seconds, the same request can succeed."""
        self.method = method
        self.url = url
        """The URL has no query, because that may contain a signature."""

    @property
    def faults(self) -> List[Dict[str, str]]:
        """For a validation error: what is wrong in which field of the request."""
        faults = self.details if isinstance(self.details, list) else []
        return [fault for fault in faults if isinstance(fault, dict) and "path" in fault and "message" in fault]

    @property
    def next_actions(self) -> List[Dict[str, str]]:
        """Requests that help next, as the platform suggests them."""
        actions = self.details.get("next_actions") if isinstance(self.details, dict) else []
        return [action for action in actions if isinstance(action, dict)] if isinstance(actions, list) else []

    def __str__(self) -> str:
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.code}: {self.message}{request}"


class BadRequestError(BountyApiError):
    """Status 400."""


class AuthenticationError(BountyApiError):
    """Status 401: the key is missing or wrong."""


class PermissionDeniedError(BountyApiError):
    """Status 403."""


class NotFoundError(BountyApiError):
    """Status 404: what the request names does not exist, or the caller may not see it."""


class ConflictError(BountyApiError):
    """Status 409: the current state does not allow the request."""


class PayloadTooLargeError(BountyApiError):
    """Status 413."""


class UnprocessableError(BountyApiError):
    """Status 422."""


class RateLimitError(BountyApiError):
    """Status 429. `retry_after` says when to try again."""


class ServerError(BountyApiError):
    """Status 500 and above."""


_BY_STATUS: Dict[int, Type[BountyApiError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: PayloadTooLargeError,
    422: UnprocessableError,
    429: RateLimitError,
}
_MAX_PROXY_TEXT = 200


def make_error(message: str, *, status: int, **fields: Any) -> BountyApiError:
    """Returns the error for a status."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else BountyApiError)
    return kind(message, status=status, **fields)


def read_error(text: str, *, status: int, headers: Mapping[str, str], method: str, url: str) -> BountyApiError:
    """Reads an error response. One without the platform's envelope comes from something in between, such as a proxy."""
    shared = {"status": status, "request_id": headers.get("X-Request-Id"), "method": method, "url": url.split("?", 1)[0]}
    envelope = parse_envelope(text)
    details = None if envelope is None else envelope[2]
    retry_after = _parse_retry_after(headers.get("Retry-After"))
    if retry_after is None and isinstance(details, dict) and isinstance(details.get("retry_after_seconds"), (int, float)):
        retry_after = float(details["retry_after_seconds"])
    if envelope is not None:
        code, message, details = envelope
        return make_error(message, code=code, details=details, retry_after=retry_after, **shared)
    excerpt = re.sub(r"\s+", " ", text).strip()[:_MAX_PROXY_TEXT]
    message = f"Status {status} without the platform's error format" + (f": {excerpt}" if excerpt else ".")
    return make_error(message, code=f"HTTP_{status}", retry_after=retry_after, **shared)


def parse_envelope(text: str) -> Optional[Tuple[str, str, Any]]:
    """Returns code, message and details of an error that was received as text, or None for anything else."""
    try:
        body = json.loads(text)
    except ValueError:
        return None
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return None
    code, message = error.get("code"), error.get("message")
    return (code, message, error.get("details")) if isinstance(code, str) and isinstance(message, str) else None


def _parse_retry_after(value: Optional[str]) -> Optional[float]:
    """Returns the seconds of a `Retry-After` header, which is a number or a date."""
    if value is None or value.strip() == "":
        return None
    if re.fullmatch(r"\d+", value.strip()):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds()) if at.tzinfo is not None else None
