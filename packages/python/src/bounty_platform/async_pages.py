"""Defines lists in pages, asynchronous. `npm run openapi` makes the blocking form from it."""

from typing import AsyncIterator, Generic, Optional

from ._core import Core
from ._pages import Item, Page, assert_moving, fetch_page
from ._types import Input


class AsyncPaged(Generic[Item]):
    """A list in pages. Iterate over it with `async for` for its items. Nothing is sent before that."""

    def __init__(self, core: Core, given: Input) -> None:
        self._core = core
        self._given = given

    async def page(self, cursor: Optional[str] = None) -> "Page[Item]":
        """Returns one page: the first, or the one of a `next_cursor`."""
        return await fetch_page(self._core, self._given, cursor)

    async def pages(self, cursor: Optional[str] = None) -> "AsyncIterator[Page[Item]]":
        """Yields all pages, one after the other."""
        while True:
            page = await self.page(cursor)
            yield page
            if page.next_cursor is None:
                return
            assert_moving(cursor, page)
            cursor = page.next_cursor

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item


