"""Defines pages of lists."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Generic, List, Optional, TypeVar

from ._core import Core
from ._models import parse
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
    """The whole response, including the list's own fields."""


async def fetch_page(core: Core, given: Input, cursor: Optional[str]) -> "Page[Any]":
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


def assert_moving(cursor: Optional[str], page: "Page[Any]") -> None:
    if page.next_cursor is not None and page.next_cursor == cursor:
        raise BountyConnectionError("The list does not continue: a page names itself as the next one.")
