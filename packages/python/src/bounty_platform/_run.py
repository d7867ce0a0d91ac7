"""Runs the client's coroutines without an event loop.

All requests are written once, as coroutines. The blocking client passes them an `io` whose functions never wait for a loop, so that a
coroutine runs to its end in one step.
"""

from typing import Any, AsyncIterator, Awaitable, Iterator, TypeVar

Value = TypeVar("Value")


def run(awaitable: Awaitable[Value]) -> Value:
    """Returns the result of a coroutine that does not suspend."""
    steps: Any = awaitable
    try:
        steps.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    steps.close()
    raise RuntimeError("A blocking client was given an asynchronous function.")


def iterate(items: AsyncIterator[Value]) -> Iterator[Value]:
    """Yields the items of an asynchronous generator that does not suspend. Stopping early closes it."""
    generator: Any = items
    try:
        while True:
            try:
                item = run(generator.__anext__())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(generator.aclose())
