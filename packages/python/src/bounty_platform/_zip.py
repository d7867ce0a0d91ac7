"""Packs files. The same files always give the same zip."""

import io
import zipfile
from typing import Mapping

RATIO_FREE_BYTES = 5 * 1024 * 1024
MAX_RATIO = 200
"""Up to this size, the platform accepts any compression of a file. For larger files, it accepts at most this ratio."""


def pack_zip(files: Mapping[str, bytes]) -> bytes:
    """Returns a zip of files by path."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            info = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o100644 << 16
            info.create_system = 3
            info.compress_type = zipfile.ZIP_STORED if _looks_like_bomb(content) else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def _looks_like_bomb(content: bytes) -> bool:
    """Returns true if the platform would reject the file for its compression. It is then stored uncompressed."""
    import zlib

    return len(content) > RATIO_FREE_BYTES and len(content) > len(zlib.compress(content)) * MAX_RATIO
