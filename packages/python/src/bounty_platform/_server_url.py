"""Decides which URLs from a response the client sends requests to, such as a signed URL of an upload."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Union

import httpx

from ._options import assert_safe_url, is_loopback
from .errors import BountyUsageError
from .generated.rules import PRIVATE_SUFFIXES

# How far a host is from this machine. Larger numbers are farther away.
_THIS_MACHINE = 0
_NETWORK = 1
_INTERNET = 2
# `is_global` of ipaddress is true for addresses that contain an IPv4 address, and depends on Python's version.
_GLOBAL_V6 = ip_network("2000::/3")
_TUNNELS = (ip_network("2002::/16"), ip_network("2001::/32"))
_SPECIAL_V4 = tuple(
    ip_network(text)
    for text in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"),
    )
)


def assert_server_url(text: str, base_url: str) -> None:
    """Raises BountyUsageError for a URL from a response that is closer to this machine than the platform itself.

    A platform on the internet must not make its clients read or change a service of this machine or of its network. https already
    prevents most of this, because a service would need a certificate for the name.
    """
    assert_safe_url(text, "A URL from the platform")
    try:
        host = httpx.URL(text).host
    except httpx.InvalidURL:
        raise BountyUsageError("A URL from the platform cannot be read.") from None
    if _reach(host) < _reach(httpx.URL(base_url).host):
        raise BountyUsageError(
            f"The platform at {base_url} returned a URL with the host {host}, which is on this machine or in a private network. "
            "Nothing was sent there."
        )


def _reach(host: str) -> int:
    name = host.lower().rstrip(".")
    if is_loopback(name):
        return _THIS_MACHINE
    try:
        return _INTERNET if _is_global(ip_address(name)) else _NETWORK
    except ValueError:
        pass
    # The resolver reads 2130706433, 127.1 and 0x7f.1 as IP addresses.
    if re.match(r"(\d+|0x[0-9a-f]*)\Z", name.rpartition(".")[2], re.ASCII):
        return _THIS_MACHINE
    is_private = "." not in name or name.endswith(tuple(f".{suffix}" for suffix in PRIVATE_SUFFIXES))
    return _NETWORK if is_private else _INTERNET


def _is_global(address: Union[IPv4Address, IPv6Address]) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    return address in _GLOBAL_V6 and not any(address in network for network in _TUNNELS)
