"""Makes names for files from names that a platform sends, with the rules of the command line."""

import re
import unicodedata

_MAX_CHARACTERS = 120
_MAX_BYTES = 240
_KEPT = "._ ()-"
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)", re.IGNORECASE)
"""Windows opens a device for these names, with any ending."""
_ENDING = re.compile(r"\.[^\W_]{1,10}\Z")


def local_file_name(wanted: str) -> str:
    """Returns a safe name for a poster's file. It must not leave the folder, hide the file, or change what a program reads from it."""
    plain = "".join(each if each.isalnum() or each in _KEPT else "_" for each in unicodedata.normalize("NFC", wanted))
    begun = plain.lstrip(". -")
    found = _ENDING.search(begun[-11:])
    ending = found[0] if found else ""
    if not _is_short(begun):
        stem = begun[: len(begun) - len(ending)][: _MAX_CHARACTERS - len(ending)]
        while not _is_short(stem + ending):
            stem = stem[:-1]
        begun = stem + ending
    name = begun.rstrip(". ")
    return "_" + name if _DEVICE.match(name) else name or "file"


def _is_short(name: str) -> bool:
    return len(name) <= _MAX_CHARACTERS and len(name.encode("utf-8", "surrogatepass")) <= _MAX_BYTES
