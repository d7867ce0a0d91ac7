"""A client for the Bounty Platform API."""

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
from .generated.models import WebhookEvent
from .generated.pages import Paged
from .receipts import VerifiedReceipt, verify_receipt, verify_task
from .webhooks import sign_webhook, verify_webhook

__all__ = [
    "__version__",
    "ApiResponse",
    "AsyncBountyClient",
    "AsyncPaged",
    "AsyncSubmissionHandle",
    "AuthenticationError",
    "BadRequestError",
    "BountyApiError",
    "BountyCheckError",
    "BountyClient",
    "BountyConnectionError",
    "BountyError",
    "BountyIncompleteError",
    "BountyTimeoutError",
    "BountyUsageError",
    "BountyWarning",
    "ConflictError",
    "encode_files",
    "errors",
    "is_over",
    "is_secret_path",
    "models",
    "NOT_GIVEN",
    "NotFoundError",
    "NotGiven",
    "pack_zip",
    "Page",
    "Paged",
    "PayloadTooLargeError",
    "PermissionDeniedError",
    "RateLimitError",
    "read_work_folder",
    "Retry",
    "ServerError",
    "sign_webhook",
    "StreamEvent",
    "SubmissionHandle",
    "SubmitProgress",
    "UnprocessableError",
    "VerificationError",
    "VerifiedReceipt",
    "verify_receipt",
    "verify_task",
    "verify_webhook",
    "WebhookEvent",
    "WebhookVerificationError",
    "WorkFolder",
]
