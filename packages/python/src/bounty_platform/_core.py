"""Sends requests to the operations of the API, and reads their responses."""

import dataclasses
import json
import os
import re
import uuid
from datetime import date, datetime
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlencode

import httpx

from ._io import Io
from ._models import Model, parse, remember_request, to_iso, to_plain
from ._options import assert_credential
from ._retry import retry_delay
from ._server_url import assert_server_url
from ._types import ApiResponse, Input, ListOf, NotGiven, Operation, Retry, StreamEvent
from ._version import __version__
from .errors import BountyConnectionError, BountyTimeoutError, BountyUsageError, read_error

USER_AGENT = f"bounty-platform-python/{__version__}"
DEFAULT_TIMEOUT = 30.0
DEFAULT_MAX_RETRIES = 4
IDLE_TIMEOUT = 60.0
"""A stream sends a comment every 20 s, so a longer pause between two pieces is a time-out."""
UPLOAD_SECONDS_PER_BYTE = 1 / 32_768
_BOOKMARK = "X-D1-Bookmark"
_JSON_TYPE = re.compile(r"application/([\w.-]+\+)?json")
_READING_POSTS = frozenset(("checkSubmission", "lintTask"))
"""POST operations that change nothing."""
_REPEATABLE_METHODS = frozenset(("GET", "PUT", "DELETE"))
Taken = TypeVar("Taken")


class Core:
    """The client of one platform, without its methods."""

    def __init__(
        self,
        io: Io,
        operations: Mapping[str, Operation],
        *,
        base_url: str,
        api_key: Optional[str],
        admin_token: Optional[str],
        timeout: float,
        max_retries: int,
        user_agent: Optional[str],
        on_retry: Optional[Callable[[Retry], None]],
    ) -> None:
        if timeout <= 0:
            raise BountyUsageError("timeout must be more than 0 seconds.")
        if max_retries < 0:
            raise BountyUsageError("max_retries must not be negative.")
        self.io = io
        self.base_url = base_url
        self.api_key = api_key
        self._operations = operations
        self._admin_token = None if admin_token is None else assert_credential(admin_token, "admin_token")
        self._timeout = timeout
        self._max_retries = max_retries
        self._user_agent = user_agent or USER_AGENT
        self._on_retry = on_retry
        self._bookmark: Optional[str] = None
        """Reads send the newest change that this client has seen, so that they show at least that change."""

    def operation(self, name: str) -> Operation:
        try:
            return self._operations[name]
        except KeyError:
            raise BountyUsageError(f"There is no operation {name}.") from None

    def url(self, given: Input) -> str:
        """Returns the URL of an operation."""
        query = [(name, text) for name, value in given.query.items() if _is_given(value) and value is not None for text in _query_texts(value)]
        path = _fill_path(self.operation(given.operation).path, given.path)
        return f"{self.base_url}{path}" + (f"?{urlencode(query)}" if query else "")

    def within(self, left: float, given: Input) -> Input:
        """Returns the request with one attempt that ends with a wait of which `left` seconds are left. It gets at least a second."""
        return given if left >= self._timeout else dataclasses.replace(given, timeout=max(left, 1.0), max_retries=0)

    async def call(self, given: Input) -> Any:
        """Returns the data of a successful response, in its type."""
        response = await self.request(given)
        if response.data is None and response.status in (204, 304):
            raise BountyConnectionError(f"{given.operation} got a response without data.")
        return response.data

    async def request(self, given: Input) -> ApiResponse[Any]:
        """Returns status, headers and data of a successful response, including a 304."""
        kind = self.operation(given.operation).result

        async def read(response: httpx.Response) -> ApiResponse[Any]:
            content = await self.io.read(response)
            request_id = response.headers.get("X-Request-Id")
            # A storage service returns nothing for an upload to its own URL.
            is_empty = response.status_code in (204, 304) or (given.signed_url is not None and content == b"")
            if is_empty:
                return ApiResponse(response.status_code, response.headers, request_id, None)
            data = _read_data(content, response.headers.get("Content-Type", ""), kind)
            remember_request(data, request_id)
            return ApiResponse(response.status_code, response.headers, request_id, data)

        return await self._send(given, read)

    async def open(self, given: Input, idle_timeout: float = IDLE_TIMEOUT) -> httpx.Response:
        """Returns a successful response whose body is read in pieces. Its reader closes it."""

        async def keep(response: httpx.Response) -> httpx.Response:
            return response

        return await self._send(given, keep, idle_timeout=idle_timeout)

    def follow(self, given: Input, last_event_id: Optional[str] = None, **options: Any) -> AsyncIterator[StreamEvent[Any, Any]]:
        """Yields the events of a stream, over as many connections as needed."""
        from ._follow import follow

        return follow(self, given, last_event_id=last_event_id, **options)

    async def _send(
        self, given: Input, take: Callable[[httpx.Response], Awaitable[Taken]], *, idle_timeout: Optional[float] = None
    ) -> Taken:
        """Returns what `take` makes of a successful response. Taking is part of the attempt, so a cut-off response is requested again."""
        operation = self.operation(given.operation)
        if given.signed_url is None:
            url = self.url(given)
        else:
            url = given.signed_url
            assert_server_url(url, self.base_url)
        headers = self._headers(operation, given)
        content = _encode_body(given, headers)
        timeout = self._timeout if given.timeout is None else given.timeout
        timeout += 0 if content is None or isinstance(content, dict) else len(content) * UPLOAD_SECONDS_PER_BYTE
        limits = httpx.Timeout(timeout, read=timeout if idle_timeout is None else idle_timeout)
        is_repeatable = given.operation in _READING_POSTS or _can_repeat(operation.method, headers)
        max_retries = self._max_retries if given.max_retries is None else given.max_retries
        attempt = 0
        while True:
            try:
                return await self._attempt(operation.method, url, headers, content, limits, take)
            except Exception as error:
                delay = retry_delay(error, attempt=attempt, is_repeatable=is_repeatable) if attempt < max_retries else None
                if delay is None:
                    raise
                attempt += 1
                if self._on_retry is not None:
                    self._on_retry(Retry(operation.method, httpx.URL(url).path, attempt, delay, error))
            await self.io.sleep(delay)

    async def _attempt(
        self,
        method: str,
        url: str,
        headers: Dict[str, str],
        content: Any,
        limits: httpx.Timeout,
        take: Callable[[httpx.Response], Awaitable[Taken]],
    ) -> Taken:
        what = f"{method} {url.split('?', 1)[0]}"
        body = content if isinstance(content, dict) else {} if content is None else {"content": content}
        try:
            response = await self.io.send(self.io.build(method, url, headers=headers, timeout=limits, **body))
            if response.is_success or response.status_code == 304:
                self._bookmark = response.headers.get(_BOOKMARK, self._bookmark)
                return await take(response)
            if 300 <= response.status_code < 400:
                await self.io.close_response(response)
                target = response.headers.get("Location", "elsewhere")
                raise BountyConnectionError(f"The server redirects to {target}. Set base_url to where the platform is.")
            text = (await self.io.read(response)).decode("utf-8", "replace")
        except httpx.HTTPError as error:
            raise explain(error, what) from error
        raise read_error(text, status=response.status_code, headers=response.headers, method=method, url=url)

    def _headers(self, operation: Operation, given: Input) -> Dict[str, str]:
        own = {"key": self.api_key, "admin": self._admin_token}.get(operation.auth)
        token = own if given.token is None else assert_credential(given.token, "token")
        headers = {"User-Agent": self._user_agent, "Accept": "application/json, */*;q=0.5"}
        if token is not None and given.signed_url is None:
            headers["Authorization"] = f"Bearer {token}"
        if operation.method == "GET" and operation.auth in ("key", "session") and self._bookmark is not None:
            headers[_BOOKMARK] = self._bookmark
        if operation.is_repeatable_by_key:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        headers.update({name: str(value) for name, value in given.headers.items() if _is_given(value) and value is not None})
        return headers


def explain(error: httpx.HTTPError, what: str) -> Exception:
    """Returns the package's own error for one of httpx."""
    if isinstance(error, httpx.TimeoutException):
        return BountyTimeoutError(f"{what} got no complete response in time.")
    return BountyConnectionError(f"{what} failed: {error or type(error).__name__}")


def _can_repeat(method: str, headers: Mapping[str, str]) -> bool:
    """Returns true for a repeatable request. A conditional write that succeeded changes its own condition, so repeating it would report a
    failure."""
    if "Idempotency-Key" in headers:
        return True
    is_conditional = any(name.lower() in ("if-match", "if-none-match") for name in headers)
    return method in _REPEATABLE_METHODS and (method == "GET" or not is_conditional)


def _is_given(value: Any) -> bool:
    return not isinstance(value, NotGiven)


def _encode_body(given: Input, headers: Dict[str, str]) -> Any:
    """Returns the body as bytes, a form as options of httpx, or None without a body."""
    if not isinstance(given.content, NotGiven):
        headers["Content-Type"] = given.media_type
        return given.content
    if given.form is not None:
        return _encode_form(given.form)
    if isinstance(given.body, NotGiven):
        return None
    body = given.body
    if isinstance(body, Mapping):
        body = {name: value for name, value in body.items() if _is_given(value)}
    headers["Content-Type"] = "application/json"
    return json.dumps(to_plain(body), default=_encode_value, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _encode_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_iso(value)
    if isinstance(value, (date, uuid.UUID)):
        return str(value)
    if isinstance(value, Mapping):
        return {name: each for name, each in value.items() if _is_given(each)}
    if hasattr(value, "__iter__"):
        return [to_plain(each) for each in value]
    raise BountyUsageError(f"{type(value).__name__} cannot be sent as JSON.")


def _query_texts(value: Any) -> List[str]:
    """Returns one text for each value, because a list repeats its parameter."""
    return [_query_text(each) for each in value] if isinstance(value, (list, tuple)) else [_query_text(value)]


def _query_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return to_iso(value) if isinstance(value, datetime) else str(value)


def _encode_form(fields: Mapping[str, Any]) -> Dict[str, Any]:
    data: Dict[str, str] = {}
    files: Dict[str, Tuple[str, bytes]] = {}
    for name, value in fields.items():
        if not _is_given(value) or value is None:
            continue
        if isinstance(value, tuple):
            files[name] = value
        elif name == "file":
            files[name] = _read_upload(value)
        else:
            data[name] = value if isinstance(value, str) else _query_text(value)
    return {"data": data, "files": files}


def _read_upload(value: Any) -> Tuple[str, bytes]:
    """Reads the file before the first attempt, because an open file could be sent only once."""
    if hasattr(value, "read"):
        return os.path.basename(str(getattr(value, "name", "file"))), value.read()
    with open(value, "rb") as file:
        return os.path.basename(os.fspath(value)), file.read()


def _fill_path(path: str, values: Mapping[str, str]) -> str:
    """Rejects an empty or dotted part, because it would form the URL of another endpoint."""

    def fill(match: "re.Match[str]") -> str:
        name = match[1]
        value = values.get(name)
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise BountyUsageError(f"{name} must not be {'missing' if value is None else repr(value)}.")
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", fill, path)


def _read_data(content: bytes, media_type: str, kind: Any) -> Any:
    if _JSON_TYPE.match(media_type) and kind is not bytes:
        try:
            value = json.loads(content)
            # A list's items get their type page by page.
            return value if isinstance(kind, ListOf) else parse(kind, value)
        except ValueError as error:
            raise BountyConnectionError("The response is labelled as JSON, but is not valid JSON.") from error
    if isinstance(kind, ListOf) or (isinstance(kind, type) and issubclass(kind, Model)):
        # A proxy or a network's sign-in page has responded instead of the platform.
        raise BountyConnectionError(f"The response is {media_type or 'without a type'} instead of JSON.")
    return content if kind is bytes else content.decode("utf-8", "replace")
