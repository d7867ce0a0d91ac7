"""Defines small types that the generated methods need."""

import os
from dataclasses import dataclass, field
from typing import IO, Any, Dict, Generic, Mapping, NamedTuple, Optional, Tuple, TypeVar, Union


class NotGiven:
    """Marks an argument that was left out, because None is a separate value."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = NotGiven()

FileInput = Union[str, "os.PathLike[str]", IO[bytes], Tuple[str, bytes]]
"""A file to upload: its path, an open binary file, or a pair of name and bytes."""

Data = TypeVar("Data", covariant=True)
Name = TypeVar("Name", covariant=True)


@dataclass(frozen=True)
class StreamEvent(Generic[Name, Data]):
    """One event of a stream. `type` is its name, and tells type checkers what `data` is."""

    type: Name
    id: str
    """Pass it as `last_event_id` to continue after this event."""
    data: Data


class ListOf(NamedTuple):
    """The result of an operation that returns pages."""

    item: Any


class Operation(NamedTuple):
    """What the client knows about an operation before it calls it."""

    method: str
    path: str
    auth: str
    is_repeatable_by_key: bool
    """True if it accepts an Idempotency-Key."""
    result: Any
    """The type of the result. None for a stream."""
    events: Dict[str, Any]
    """The type of each event of a stream."""


@dataclass(frozen=True)
class Input:
    """A request to an operation."""

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Any = NOT_GIVEN
    content: Union[bytes, NotGiven] = NOT_GIVEN
    media_type: str = "application/octet-stream"
    form: Optional[Mapping[str, Any]] = None
    signed_url: Optional[str] = None
    """Replaces the operation's path and the client's credentials."""
    timeout: Optional[float] = None
    token: Optional[str] = None
    max_retries: Optional[int] = None


@dataclass(frozen=True)
class Retry:
    """A request that is about to be sent again."""

    method: str
    path: str
    attempt: int
    """The number of the attempt that has failed, from 1."""
    delay: float
    """Seconds until the next attempt."""
    error: Exception


@dataclass(frozen=True)
class ApiResponse(Generic[Data]):
    """A successful response, including a 304."""

    status: int
    headers: Mapping[str, str]
    request_id: Optional[str]
    data: Optional[Data]
    """None with 204 and 304."""
