"""Hashes of contents: that of a file's bytes, and one for all files of a clone.

A file system keeps no hashes, so whether a file changed is first asked of its stamp: a tree of hashes would save no reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b

HASH_BYTES = 16


def hash_content(data: bytes) -> bytes:
    """Return the hash of a file's bytes: BLAKE2b of 128 bits."""
    return blake2b(data, digest_size=HASH_BYTES).digest()


def hash_clone(files: Mapping[str, bytes]) -> bytes:
    """Return the hash of a clone: BLAKE2b of 128 bits of its sorted paths, each with the hash of the content.

    Args:
        files: The hash of each file's bytes, of `HASH_BYTES` bytes, by its path from the root.
    """
    digest = blake2b(digest_size=HASH_BYTES)
    for path in sorted(files):
        digest.update(path.encode("utf-8", "surrogatepass") + b"\0" + files[path])
    return digest.digest()
