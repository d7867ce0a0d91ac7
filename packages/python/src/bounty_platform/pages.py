"""Lists that come in pages."""

import dataclasses
from dataclasses import dataclass
from typing import Any, AsyncIterator, Generic, Iterator, List, Optional, TypeVar

from ._core import Core
from ._models import parse
from ._run import run
from ._types import Input
from .errors import BountyConnectionError

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: List[Item]
    next_cursor: Optional[str]
    """None on the last page."""
    response: Any
    """The response as it came, with what belongs to the list as a whole."""


async def _fetch(core: Core, given: Input, cursor: Optional[str]) -> "Page[Any]":
    query = dict(given.query) if cursor is None else {**given.query, "cursor": cursor}
    kind = core.operation(given.operation).result
    page = (await core.request(dataclasses.replace(given, query=query))).data
    if not isinstance(page, dict):
        raise BountyConnectionError("The response is not a page of a list.")
    items = page.get("data", page.get("entries"))
    if not isinstance(items, list):
        raise BountyConnectionError("The response is not a page of a list.")
    pagination = page.get("pagination")
    following = (pagination if isinstance(pagination, dict) else page).get("next_cursor")
    return Page([parse(kind.item, item) for item in items], following if isinstance(following, str) else None, page)


def _assert_moving(cursor: Optional[str], page: "Page[Any]") -> None:
    if page.next_cursor is not None and page.next_cursor == cursor:
        raise BountyConnectionError("The list does not go on: a page names itself as the next one.")


class Paged(Generic[Item]):
    """A list in pages. Iterate over it for its items. Nothing is sent before that."""

    def __init__(self, core: Core, given: Input) -> None:
        self._core = core
        self._given = given

    def page(self, cursor: Optional[str] = None) -> "Page[Item]":
        """One page: the first, or the one that a `next_cursor` leads to."""
        return run(_fetch(self._core, self._given, cursor))

    def pages(self, cursor: Optional[str] = None) -> "Iterator[Page[Item]]":
        """All pages, one after the other."""
        while True:
            page = self.page(cursor)
            yield page
            if page.next_cursor is None:
                return
            _assert_moving(cursor, page)
            cursor = page.next_cursor

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.items


class AsyncPaged(Generic[Item]):
    """A list in pages. Iterate over it with `async for` for its items. Nothing is sent before that."""

    def __init__(self, core: Core, given: Input) -> None:
        self._core = core
        self._given = given

    async def page(self, cursor: Optional[str] = None) -> "Page[Item]":
        """One page: the first, or the one that a `next_cursor` leads to."""
        return await _fetch(self._core, self._given, cursor)

    async def pages(self, cursor: Optional[str] = None) -> "AsyncIterator[Page[Item]]":
        """All pages, one after the other."""
        while True:
            page = await self.page(cursor)
            yield page
            if page.next_cursor is None:
                return
            _assert_moving(cursor, page)
            cursor = page.next_cursor

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item


