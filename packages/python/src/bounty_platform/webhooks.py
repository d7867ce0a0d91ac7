"""Verifies webhook deliveries, and signs deliveries for tests."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Iterable, List, Optional, Protocol, Tuple, Union

from ._models import Model, parse
from .errors import BountyUsageError, WebhookVerificationError
from .generated.models import WEBHOOK_EVENTS, WebhookEvent

SECRET_PREFIX = "whsec_"
TOLERANCE = 300.0


class Headers(Protocol):
    """A dictionary, or the headers of `http.server`, Flask, Django, Starlette or httpx."""

    def items(self) -> Iterable[Tuple[str, Any]]: ...


def verify_webhook(
    headers: Headers,
    body: Union[str, bytes],
    secret: str,
    *,
    scheme: str = "standard",
    tolerance: float = TOLERANCE,
) -> WebhookEvent:
    """Checks the signature of a delivery and returns its event. Pass the body as received: parsing and printing JSON changes its bytes.

    `event.event` is the name of the event, and tells type checkers which fields it has. An event that is newer than this package has
    its fields too, without their types.

    `standard` checks `webhook-signature` (Standard Webhooks), which also rejects old deliveries that someone sends again; `tolerance` is
    how many seconds a delivery's time may be off. `svc` checks `X-Svc-Signature`, which covers the body only. After a rotation both the
    new and the old secret work for 24 hours.

    Raises WebhookVerificationError when the delivery is not genuine, and BountyUsageError for a secret that is not one.
    """
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    if scheme == "standard":
        is_genuine = _verify_standard(headers, content, secret, tolerance)
    elif scheme == "svc":
        is_genuine = _verify_svc(headers, content, secret)
    else:
        raise BountyUsageError("scheme must be standard or svc.")
    if not is_genuine:
        raise WebhookVerificationError("No signature of the delivery was made with this secret.")
    try:
        event = json.loads(content.decode("utf-8"))
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise WebhookVerificationError("The body of the delivery is not an event.")
    verified: WebhookEvent = parse(WEBHOOK_EVENTS.get(event["event"], Model), event)
    return verified


def sign_webhook(
    body: Union[str, bytes], secret: str, *, message_id: str = "test", timestamp: Optional[int] = None
) -> Dict[str, str]:
    """Returns the headers of a delivery as the platform signs it, for tests of a receiver."""
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    at = str(int(time.time()) if timestamp is None else timestamp)
    signature = hmac.new(_standard_key(secret), f"{message_id}.{at}.".encode() + content, hashlib.sha256).digest()
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": at,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode('ascii')}",
        "x-svc-signature": hmac.new(secret.encode(), content, hashlib.sha256).hexdigest(),
    }


def _verify_standard(headers: Headers, body: bytes, secret: str, tolerance: float) -> bool:
    message_id = _require(headers, "webhook-id")
    timestamp = _require(headers, "webhook-timestamp")
    signatures = _require(headers, "webhook-signature")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookVerificationError(
            f"The delivery's timestamp is more than {tolerance:g} s off. Check this machine's clock."
        )
    expected = hmac.new(_standard_key(secret), f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    given = [_decode_base64(each[3:]) for each in signatures.split(" ") if each.startswith("v1,")]
    return _is_one_genuine(expected, given)


def _verify_svc(headers: Headers, body: bytes, secret: str) -> bool:
    if secret == "":
        raise BountyUsageError("The secret must be the webhook's secret, whsec_...")
    given = [_require(headers, "x-svc-signature"), _read(headers, "x-svc-signature-previous") or ""]
    expected = hmac.new(secret.encode(), body, hashlib.sha256).digest()
    return _is_one_genuine(expected, [_decode_hex(each) for each in given])


def _is_one_genuine(expected: bytes, given: List[Optional[bytes]]) -> bool:
    return any([hmac.compare_digest(expected, each) for each in given if each is not None])


def _standard_key(secret: str) -> bytes:
    key = _decode_base64(secret[len(SECRET_PREFIX) :] if secret.startswith(SECRET_PREFIX) else secret)
    if not key:
        raise BountyUsageError("The secret must be the webhook's secret, whsec_...")
    return key


def _read(headers: Headers, name: str) -> Optional[str]:
    for each, value in headers.items():
        if str(each).lower() == name:
            return value if isinstance(value, str) else " ".join(value)
    return None


def _require(headers: Headers, name: str) -> str:
    value = _read(headers, name)
    if not value:
        raise WebhookVerificationError(f"The delivery has no header {name}.")
    return value


def _decode_base64(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _decode_hex(text: str) -> Optional[bytes]:
    return bytes.fromhex(text) if re.fullmatch(r"([0-9a-fA-F]{2})+", text) else None
