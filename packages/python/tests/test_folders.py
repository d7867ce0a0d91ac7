"""Tests the rules for folders with the cases of the SDK for TypeScript."""

import json
import os
import tempfile
import unittest
from pathlib import Path

from bounty_platform._folder import content_key, read_work_folder
from bounty_platform.errors import BountyUsageError

CASES = Path(__file__).parents[3] / "test" / "packages" / "work-folders.json"


class Folders(unittest.TestCase):
    def test_cases(self) -> None:
        cases = json.loads(CASES.read_text(encoding="utf-8"))
        self.assertGreater(len(cases), 5)
        for case in cases:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as folder:
                for path, content in case["files"].items():
                    place = Path(folder, path)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(content, encoding="utf-8")
                for path, target in case.get("links", {}).items():
                    os.symlink(target, Path(folder, path))
                work = read_work_folder(folder, include_secrets=case.get("includeSecrets", False), api_key=case.get("apiKey"))
                expected = case["expected"]
                self.assertEqual(list(work.files), expected["files"])
                self.assertEqual(work.secrets, expected.get("secrets", []))
                self.assertEqual(work.links, expected.get("links", []))
                self.assertEqual(work.generated, expected.get("generated", []))
                self.assertEqual(work.ignored, expected.get("ignored", 0))

    def test_what_is_no_folder(self) -> None:
        with self.assertRaisesRegex(BountyUsageError, "does not exist"):
            read_work_folder("/nowhere/at/all")
        with self.assertRaisesRegex(BountyUsageError, "is not a folder"):
            read_work_folder(__file__)

    def test_content_key(self) -> None:
        files = {"b.txt": b"2", "a.txt": b"1"}
        # The test of the SDK for TypeScript has the same value.
        self.assertEqual(content_key("task", files, "Ada"), "work-816384f2a4a4e3ff949730d4e5fb1460645397b0eaa013b0234ee84720f7dcb6")
        self.assertEqual(content_key("task", files), content_key("task", dict(sorted(files.items()))))
        self.assertNotEqual(content_key("task", files), content_key("other", files))
        self.assertNotEqual(content_key("task", files), content_key("task", {**files, "a.txt": b"3"}))


if __name__ == "__main__":
    unittest.main()
