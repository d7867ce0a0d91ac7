"""Client of the Bounty Platform API."""

from . import errors
from ._folder import WorkFolder, is_secret_path, read_work_folder
from ._pages import Page
from ._submit import SubmitProgress, encode_files
from ._types import NOT_GIVEN, ApiResponse, NotGiven, Retry, StreamEvent
from ._version import __version__
from ._wait import is_over
from ._zip import pack_zip
from .async_client import AsyncBountyClient, AsyncSubmissionHandle
from .async_pages import AsyncPaged
from .errors import (
    AuthenticationError,
    BadRequestError,
    BountyApiError,
    BountyCheckError,
    BountyConnectionError,
    BountyError,
    BountyIncompleteError,
    BountyTimeoutError,
    BountyUsageError,
    BountyWarning,
    ConflictError,
    NotFoundError,
    PayloadTooLargeError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnprocessableError,
    VerificationError,
    WebhookVerificationError,
)
from .generated import models
from .generated.client import BountyClient, SubmissionHandle
from .generated.pages import Paged
from .receipts import VerifiedReceipt, verify_receipt, verify_task
from .webhooks import sign_webhook, verify_webhook

__all__ = [
    *("AsyncBountyClient", "AsyncPaged", "AsyncSubmissionHandle", "BountyClient", "Page", "Paged", "SubmissionHandle"),
    *("ApiResponse", "NOT_GIVEN", "NotGiven", "Retry", "StreamEvent", "SubmitProgress", "WorkFolder", "errors", "models"),
    *("AuthenticationError", "BadRequestError", "BountyApiError", "BountyCheckError", "BountyConnectionError", "BountyError"),
    *("BountyIncompleteError", "BountyTimeoutError", "BountyUsageError", "BountyWarning", "ConflictError", "NotFoundError"),
    *("PayloadTooLargeError", "PermissionDeniedError", "RateLimitError", "ServerError", "UnprocessableError", "VerificationError"),
    *("WebhookVerificationError", "__version__", "encode_files", "is_over", "is_secret_path", "pack_zip", "read_work_folder"),
    *("VerifiedReceipt", "sign_webhook", "verify_receipt", "verify_task", "verify_webhook"),
]
