"""Tests receipts that a stranger may have written. `vectors.py` verifies the platform's own."""

import base64
import unittest

from bounty_platform.errors import VerificationError
from bounty_platform.receipts import verify_receipt


class Receipts(unittest.TestCase):
    def test_deeply_nested_json_is_rejected(self) -> None:
        header = base64.urlsafe_b64encode(b"[" * 300_000).decode("ascii")
        with self.assertRaisesRegex(VerificationError, "header"):
            verify_receipt({"receipt": f"{header}.e30.AA"}, {"keys": []})


if __name__ == "__main__":
    unittest.main()
