"""Reads the settings of a client."""

import os
import re
from typing import Optional
from urllib.parse import urlsplit

from .errors import BountyUsageError

_LOOPBACK = re.compile(r"(localhost|.*\.localhost|127(\.\d{1,3}){3}|::1)\Z")


def parse_base_url(text: Optional[str]) -> str:
    """Returns the base URL without a slash at its end. The default is `BOUNTY_URL` from the environment."""
    url = text if text is not None else os.environ.get("BOUNTY_URL", "")
    if url == "":
        raise BountyUsageError("Pass base_url, or set BOUNTY_URL to the platform's URL.")
    assert_safe_url(url, "base_url")
    if "?" in url or "#" in url:
        raise BountyUsageError("base_url must not have a query or a fragment.")
    return url.rstrip("/")


def assert_safe_url(text: str, name: str) -> None:
    """Raises BountyUsageError unless it is https, or http on loopback."""
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        raise BountyUsageError(f"{name} must be an absolute URL, such as https://bounties.example.") from None
    if parts.scheme not in ("http", "https") or host == "":
        raise BountyUsageError(f"{name} must be an absolute URL, such as https://bounties.example.")
    if parts.username is not None or parts.password is not None:
        raise BountyUsageError(f"{name} must not contain a user name or password.")
    if parts.scheme == "http" and not is_loopback(host):
        raise BountyUsageError(f"{name} must be an https URL. Plain http is accepted for loopback only.")


def is_loopback(host: str) -> bool:
    """Takes a host in lower case. IPv6 is without brackets."""
    return _LOOPBACK.match(host) is not None


def assert_credential(credential: str, name: str) -> str:
    """Raises BountyUsageError for a key or token that a header cannot carry."""
    if re.fullmatch(r"[\x21-\x7e]+", credential):
        return credential
    raise BountyUsageError(f"{name} must be printable ASCII without spaces. Check for a line break at its end.")


def find_api_key(api_key: Optional[str], base_url: Optional[str]) -> Optional[str]:
    """Returns the key that was passed, or `BOUNTY_API_KEY` from the environment.

    A client with a URL but no key ignores the environment's key, because that key may be for another platform.
    """
    found = api_key if api_key is not None or base_url is not None else os.environ.get("BOUNTY_API_KEY") or None
    return None if found is None else assert_credential(found, "api_key")
