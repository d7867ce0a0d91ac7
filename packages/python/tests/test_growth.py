"""Parsers of what a server or a stranger wrote get texts that repeat a part thousands of times.
Their time must not grow faster than the text.
"""

import json
import time
import unittest
from typing import Any, Callable, Dict

from bounty_platform._ignore import is_ignored, parse_rules
from bounty_platform._sse import EventReader
from bounty_platform.errors import BountyError, parse_envelope
from bounty_platform.receipts import canonical_json, verify_receipt
from bounty_platform.webhooks import verify_webhook

SHORT, LONG = 8_000, 64_000
QUICK = 0.01
"""A parser whose time grows faster than the text cannot read the longer text in these seconds."""
MOST_GROWTH = 40.0
"""For eight times as much text, a linear parser takes 8 times as long, and a quadratic one 64 times."""

SECRET = "whsec_" + "A" * 44


def stream(text: str, size: int = 16) -> None:
    reader = EventReader(None)
    content = text.encode()
    for at in range(0, len(content), size):
        reader.feed(content[at : at + size])


def receipt(text: str) -> None:
    verify_receipt({"receipt": text}, {"keys": []})


def delivery(text: str) -> None:
    headers = {"webhook-id": text, "webhook-timestamp": str(int(time.time())), "webhook-signature": f"v1,{text} v1,{text}"}
    verify_webhook(headers, "{}", SECRET)


READERS: Dict[str, Callable[[str], Any]] = {
    "stream": stream,
    "one line of a stream": lambda text: stream(f"data: {text}"),
    "stream that arrives at once": lambda text: stream(text, 1 << 20),
    "rule of an ignore file": lambda text: [is_ignored((("", parse_rules(line)),), "a/b.txt", is_folder=False) for line in (text[:2000], f"\\{text}x")],
    "path that rules look at": lambda text: is_ignored((("", parse_rules("*a*a*a*a*a*b\n**/a/**/a/**/a/**/b\n*.*.*.x\n")),), text, is_folder=False),
    "lines of an ignore file": lambda text: parse_rules(text.replace(" ", "\n")),
    "receipt": receipt,
    "delivery of a webhook": delivery,
    "error": parse_envelope,
    "canonical JSON": lambda text: canonical_json({"a": text, "b": [text]}),
}
PARTS = ("a", " ", "\n", "\r", "\r\n", "data: ", "data:\n", ":\n", "id: 1\n", "a/", ".", "a.", "*", "**/", "\\", "[", "[a", "]", "é", "\0", ",", "v1,", '"', "{", "A")
ENDS = ("", "x", "\n\n", "!")


def seconds(read: Callable[[str], Any], text: str) -> float:
    # Only processor time counts, because a busy machine interrupts a long reading more often than a short one.
    begun = time.thread_time()
    try:
        read(text)
    except (BountyError, ValueError, RecursionError):
        pass  # A rejection also counts.
    return time.thread_time() - begun


def growth(read: Callable[[str], Any], part: str, end: str) -> float:
    """Returns how many times longer eight times as much text takes, or 0 for a quick parser. The fastest of several readings counts."""
    short, long = (part * (size // len(part)) + end for size in (SHORT, LONG))
    longer = seconds(read, long)
    if longer < QUICK:
        return 0.0
    shorter = min(seconds(read, short) for _ in range(4))
    if longer / shorter >= MOST_GROWTH:
        longer = min(longer, *(seconds(read, long) for _ in range(3)))
    return longer / shorter


class Growth(unittest.TestCase):
    def test_readers(self) -> None:
        for name, read in READERS.items():
            for part in PARTS:
                for end in ENDS:
                    with self.subTest(name, part=json.dumps(part), end=json.dumps(end)):
                        self.assertLess(growth(read, part, end), MOST_GROWTH)

    def test_a_measurement(self) -> None:
        def quadratic(text: str) -> int:
            return sum(len(text[:at] + "x") for at in range(0, len(text), 4))

        self.assertGreater(growth(quadratic, "a", ""), MOST_GROWTH)


if __name__ == "__main__":
    unittest.main()
