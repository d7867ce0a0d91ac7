"""Reads `.gitignore` and `.bountyignore`, in a folder and in every folder below it. The SDK for TypeScript reads them in the same way."""

import re
from typing import List, NamedTuple, Optional, Tuple

RULE_FILES = (".gitignore", ".bountyignore")
"""Of these two, `.bountyignore` has priority."""


class Rule(NamedTuple):
    """One line of a rule file."""

    pattern: "re.Pattern[str]"
    is_negated: bool
    is_for_folders: bool


Rules = Tuple[Tuple[str, List[Rule]], ...]
"""The rules that apply in a folder, outermost first. Each has the folder that its paths are relative to, with a slash at its end."""


def parse_rules(text: str) -> List[Rule]:
    """Returns the rules of a file's text."""
    rules = (_parse_line(line) for line in re.split(r"\r?\n", text.lstrip("\ufeff")))
    return [rule for rule in rules if rule is not None]


def is_ignored(rules: Rules, path: str, *, is_folder: bool) -> bool:
    """Returns true if the last rule that matches a path ignores it. The contents of an ignored folder are not checked."""
    ignored = False
    for prefix, own in rules:
        relative = path[len(prefix) :]
        for pattern, is_negated, is_for_folders in own:
            if ignored == is_negated and (is_folder or not is_for_folders) and pattern.match(relative):
                ignored = not is_negated
    return ignored


def _parse_line(line: str) -> Optional[Rule]:
    # A space after a backslash stays.
    text = line.rstrip(" ")
    if text.endswith("\\"):
        text = line[: len(text) + 1]
    if text == "" or text.startswith("#"):
        return None
    is_negated = text.startswith("!")
    text = text[1:] if is_negated else text
    is_for_folders = text.endswith("/")
    text = text[:-1] if is_for_folders else text
    is_anchored = "/" in text
    text = text[1:] if text.startswith("/") else text
    translated = _translate(text)
    if text == "" or translated is None:
        return None
    start = "" if is_anchored else _ANY_FOLDERS
    return Rule(re.compile(f"{start}{translated}\\Z", re.IGNORECASE | re.DOTALL), is_negated, is_for_folders)


_ANY_FOLDERS = "(?:[^/]+/)*"
_ANY_NAME = "[^/]*"


def _close(result: str, at: int, wildcard: str) -> str:
    """Tries only the first match after a wildcard. Trying all would multiply the steps of a search with each wildcard."""
    if at == -1:
        return result
    group = f"_{result.count('(?P<')}"
    return f"{result[:at]}(?=(?P<{group}>{wildcard}?{result[at + len(wildcard) :]}))(?P={group})"


def _translate(glob: str) -> Optional[str]:
    """Returns a regular expression for a glob, or None for one that matches nothing."""
    result, at = "", 0
    # The positions of the last wildcard for folders in the result, and of the last wildcard in the current name.
    folders, name = -1, -1
    while at < len(glob):
        stars = re.compile(r"\*+").match(glob, at)
        if stars is not None:
            end = stars.end()
            is_whole = len(stars[0]) == 2 and (at == 0 or glob[at - 1] == "/") and (end == len(glob) or glob[end] == "/")
            if not is_whole:
                result = _close(result, name, _ANY_NAME)
                name = len(result)
                result += _ANY_NAME
            elif end == len(glob):
                result += ".+"
            else:
                if not result.endswith(_ANY_FOLDERS):
                    result = _close(result, folders, _ANY_FOLDERS)
                    folders = len(result)
                    result += _ANY_FOLDERS
                end += 1
            at = end
        elif glob[at] == "?":
            result += "[^/]"
            at += 1
        elif glob[at] == "[":
            found = re.compile(r"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]").match(glob, at)
            if found is None:
                return None
            members = re.sub(r"(\\?.)-(\\?.)|\\?.", _escape_members, found[2], flags=re.DOTALL)
            result += f"(?!/)[{'^' if found[1] else ''}{members}]"
            at = found.end()
        elif glob[at] == "\\":
            if at + 1 == len(glob):
                return None
            name = -1 if glob[at + 1] == "/" else name
            result += re.escape(glob[at + 1])
            at += 2
        else:
            name = -1 if glob[at] == "/" else name
            result += re.escape(glob[at])
            at += 1
    return result


def _escape_members(match: "re.Match[str]") -> str:
    """Escapes everything except ranges. Like Git, replaces a range that ends before it begins with its first character."""
    first, last = match[1], match[2]
    if first is None:
        return _escape_member(match[0])
    return f"{_escape_member(first)}-{_escape_member(last)}" if first[-1] <= last[-1] else _escape_member(first)


def _escape_member(member: str) -> str:
    return re.escape(member[-1])
