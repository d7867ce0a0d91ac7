"""Reads text/event-stream."""

import codecs
import re
from typing import List, NamedTuple, Optional


class ServerSentEvent(NamedTuple):
    """An event as it was sent."""

    type: str
    id: str
    data: str


class EventReader:
    """Parses the pieces of a stream into events. `last_id` and `retry` are the server's latest values."""

    def __init__(self, last_id: Optional[str]) -> None:
        self.last_id = last_id
        self.retry: Optional[float] = None
        """The number of seconds that the server asks to wait before reconnecting."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest: List[str] = []
        self._type = ""
        self._id = ""
        self._data: List[str] = []
        self._is_first = True

    def feed(self, piece: bytes) -> "List[Optional[ServerSentEvent]]":
        """Yields the events that a piece completes. None is a comment, which proves that the connection works."""
        text = self._decoder.decode(piece)
        if self._is_first and text:
            self._is_first = False
            text = text.lstrip("\ufeff")
        # A long line is joined only once. Joining it with each piece would take time quadratic in its length.
        is_split = bool(self._rest) and self._rest[-1].endswith("\r")
        if not is_split and "\n" not in text and "\r" not in text:
            self._rest.append(text)
            return []
        text = "".join([*self._rest, text])
        # A line break of two characters can be split over two pieces.
        held = "\r" if text.endswith("\r") else ""
        lines = re.split(r"\r\n|\n|\r", text[: len(text) - len(held)])
        self._rest = [lines.pop() + held]
        return [event for line in lines for event in self._take(line)]

    def _take(self, line: str) -> "List[Optional[ServerSentEvent]]":
        if line == "":
            data, name = self._data, self._type or "message"
            self._data, self._type = [], ""
            # An interrupted event did not arrive, so the stream resumes before it.
            self.last_id = self._id or self.last_id
            return [ServerSentEvent(name, self._id, "\n".join(data))] if data else []
        if line.startswith(":"):
            return [None]
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            self._type = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit() and len(value) < 10:
            self.retry = int(value) / 1000
        return []


