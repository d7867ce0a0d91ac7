"""Reads the files of a folder for a submission, with the rules of the command line and of the SDK for TypeScript."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Mapping, Optional, Tuple

from ._ignore import RULE_FILES, Rules, is_ignored, parse_rules
from .errors import BountyUsageError
from .generated.rules import (
    EXAMPLES,
    GENERATED_FOLDERS,
    NEVER_SENT,
    SECRET_FOLDERS,
    SECRET_NAMES,
    SECRET_PATHS,
    SECRET_TEXT,
)

MAX_BYTES = 300 * 1024 * 1024
"""The maximum size of a submission."""
MAX_SEARCHED_BYTES = 1024 * 1024
"""Larger texts are not searched for credentials."""


@dataclass
class WorkFolder:
    """The files of a folder, and those that are left out."""

    files: Dict[str, bytes] = field(default_factory=dict)
    """The keys are relative paths with `/`."""
    total_bytes: int = 0
    secrets: List[str] = field(default_factory=list)
    """The paths that were left out because they look like secrets."""
    links: List[str] = field(default_factory=list)
    """The links that were not followed."""
    ignored: int = 0
    """The number of files and folders that the ignore files left out."""
    generated: List[str] = field(default_factory=list)
    """Folders that were left out because tools can regenerate them, such as `__pycache__`."""


def is_secret_path(path: str) -> bool:
    """Returns true for a path, relative with `/`, whose name says that the file is usually a secret, such as `.env`."""
    if SECRET_FOLDERS.search(path) or SECRET_PATHS.search(path):
        return True
    name = path.rsplit("/", 1)[-1]
    return not EXAMPLES.search(name) and any(pattern.search(name) for pattern in SECRET_NAMES)


def contains_secret(content: bytes) -> bool:
    """Returns true if a text contains a credential of this platform or a well-known service."""
    if len(content) > MAX_SEARCHED_BYTES or b"\0" in content:
        return False
    try:
        return SECRET_TEXT.search(content.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def read_work_folder(
    folder: str,
    *,
    include_secrets: bool = False,
    api_key: Optional[str] = None,
    filter: Optional[Callable[[str], bool]] = None,
) -> WorkFolder:
    """Reads a folder. Raises BountyUsageError if the path is not a folder, or has more than a submission may have."""
    if not os.path.isdir(folder):
        raise BountyUsageError(f"{folder} {'is not a folder' if os.path.exists(folder) else 'does not exist'}.")
    reading = _Reading(os.path.realpath(folder), include_secrets, api_key, filter)
    reading.read_folder("", ())
    reading.resolve_links()
    return reading.work


class _Reading:
    def __init__(self, root: str, include_secrets: bool, api_key: Optional[str], accepts: Optional[Callable[[str], bool]]) -> None:
        self.work = WorkFolder()
        self._root = root
        self._include_secrets = include_secrets
        self._marker = None if not api_key else api_key.encode()
        self._accepts = accepts
        self._link_paths: List[str] = []

    def read_folder(self, prefix: str, outer: Rules) -> None:
        folder = os.path.join(self._root, prefix)
        rules = self._read_rules(folder, prefix, outer)
        for entry in sorted(os.scandir(folder), key=lambda each: _sort_key(each.name)):
            path = prefix + entry.name
            if entry.name in NEVER_SENT or entry.name.startswith("._"):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_ignored(rules, path, is_folder=is_folder):
                self.work.ignored += 1
            elif is_folder and entry.name in GENERATED_FOLDERS:
                self.work.generated.append(path)
            elif self._accepts is not None and not self._accepts(f"{path}/" if is_folder else path):
                continue
            elif is_folder:
                self.read_folder(f"{path}/", rules)
            elif entry.is_symlink():
                self._link_paths.append(path)
            elif entry.is_file(follow_symlinks=False):
                self._read_file(path)

    def resolve_links(self) -> None:
        """Follows the links to files that were read. Any other link could lead to a secret, or to anything on this machine."""
        for path in self._link_paths:
            target = os.path.relpath(os.path.realpath(os.path.join(self._root, path)), self._root).replace(os.sep, "/")
            content = self.work.files.get(target)
            if target in self.work.secrets or (content is not None and self._is_secret_name(path)):
                self.work.secrets.append(path)
            elif content is None:
                self.work.links.append(path)
            else:
                self._add(path, content)

    def _read_rules(self, folder: str, prefix: str, outer: Rules) -> Rules:
        """Reads a rule file, even through a link, because ignoring less than the user expects could send a secret."""
        own = []
        for name in RULE_FILES:
            try:
                with open(os.path.join(folder, name), encoding="utf-8", errors="replace", newline="") as file:
                    own.extend(parse_rules(file.read()))
            except (FileNotFoundError, IsADirectoryError):
                continue
        return (*outer, (prefix, own)) if own else outer

    def _read_file(self, path: str) -> None:
        if self._is_secret_name(path):
            self.work.secrets.append(path)
            return
        place = os.path.join(self._root, path)
        self._assert_size(os.stat(place).st_size)
        with open(place, "rb") as file:
            content = file.read()
        if not self._include_secrets and (contains_secret(content) or (self._marker is not None and self._marker in content)):
            self.work.secrets.append(path)
        else:
            self._add(path, content)

    def _is_secret_name(self, path: str) -> bool:
        return not self._include_secrets and is_secret_path(path)

    def _assert_size(self, more: int) -> None:
        if self.work.total_bytes + more > MAX_BYTES:
            raise BountyUsageError(f"The folder has more than {MAX_BYTES // 1024 // 1024} MB. Exclude files with .bountyignore.")

    def _add(self, path: str, content: bytes) -> None:
        self._assert_size(len(content))
        self.work.total_bytes += len(content)
        self.work.files[path] = content


def _sort_key(name: str) -> bytes:
    try:
        return name.encode("utf-16-be")
    except UnicodeEncodeError:
        raise BountyUsageError(f"The name {name!r} is not Unicode.") from None


def content_key(task_id: str, files: Mapping[str, bytes], display_name: Optional[str] = None) -> str:
    """Returns an idempotency key for work. Every client derives the same key from the same files."""
    digest = hashlib.sha256(f"{task_id}\n{display_name or ''}\n".encode())
    for path, content in sorted(files.items(), key=lambda each: each[0].encode()):
        digest.update(f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return f"work-{digest.hexdigest()}"


def read_path(path: str, **options: object) -> Tuple[WorkFolder, Optional[bytes]]:
    """Returns the files of a folder, a single file under its name, or the bytes of a zip."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise BountyUsageError(f"{path} cannot be read: {error.strerror}") from None
    if stat.S_ISDIR(mode):
        return read_work_folder(path, **options), None  # type: ignore[arg-type]
    with open(path, "rb") as file:
        content = file.read()
    if content.startswith(b"PK") and path.lower().endswith(".zip"):
        return WorkFolder(), content
    return WorkFolder(files={os.path.basename(path): content}, total_bytes=len(content)), None
