"""Sends, reads and sleeps. Only here do the blocking and the asynchronous client differ."""

import time
from typing import Any, AsyncIterator, Callable, Protocol, TypeVar

import httpx

from .errors import BountyUsageError

Http = TypeVar("Http")


def open_http(kind: Callable[[], Http]) -> Http:
    """Returns a client of httpx, which uses the proxies that the environment names.

    Raises BountyUsageError for a proxy that it cannot use.
    """
    try:
        return kind()
    except ImportError as error:
        message = "The environment names a socks proxy. Install bounty-platform[socks], which adds the package socksio, or unset ALL_PROXY."
        raise BountyUsageError(message) from error
    except ValueError as error:
        raise BountyUsageError(f"The environment names a proxy that cannot be used: {error}") from error


class Io(Protocol):
    """Sends requests. The functions of a blocking instance never suspend."""

    def build(self, method: str, url: str, **options: Any) -> httpx.Request: ...

    async def send(self, request: httpx.Request) -> httpx.Response: ...

    async def read(self, response: httpx.Response) -> bytes: ...

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]: ...

    async def close_response(self, response: httpx.Response) -> None: ...

    async def sleep(self, seconds: float) -> None: ...


class SyncIo:
    """Blocks the thread while it waits."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def build(self, method: str, url: str, **options: Any) -> httpx.Request:
        return self.http.build_request(method, url, **options)

    async def send(self, request: httpx.Request) -> httpx.Response:
        return self.http.send(request, stream=True, follow_redirects=False)

    async def read(self, response: httpx.Response) -> bytes:
        try:
            return response.read()
        finally:
            response.close()

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for piece in response.iter_bytes():
            yield piece

    async def close_response(self, response: httpx.Response) -> None:
        response.close()

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class AsyncIo:
    """Runs in asyncio or trio, like httpx."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    def build(self, method: str, url: str, **options: Any) -> httpx.Request:
        return self.http.build_request(method, url, **options)

    async def send(self, request: httpx.Request) -> httpx.Response:
        return await self.http.send(request, stream=True, follow_redirects=False)

    async def read(self, response: httpx.Response) -> bytes:
        try:
            return await response.aread()
        finally:
            await response.aclose()

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        async for piece in response.aiter_bytes():
            yield piece

    async def close_response(self, response: httpx.Response) -> None:
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        import anyio

        await anyio.sleep(seconds)
