"""A Merkle tree of a workspace: one hash for each file and each folder.

The hash of a file is that of its bytes; the hash of a folder is that of its sorted entries. So two folders are equal if
their hashes are, and what differs between two trees is found without a look at what does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import TypeAlias

HASH_BYTES = 16

_Folder: TypeAlias = "dict[str, bytes | _Node]"


def hash_content(data: bytes) -> bytes:
    """Return the hash of a file's bytes: BLAKE2b of 128 bits."""
    return blake2b(data, digest_size=HASH_BYTES).digest()


class _Node:
    """A folder: its entries by name, and its hash as long as none of them changes."""

    __slots__ = ("entries", "hash")

    def __init__(self) -> None:
        self.entries: _Folder = {}
        self.hash: bytes | None = None

    def digest(self) -> bytes:
        if self.hash is None:
            digest = blake2b(digest_size=HASH_BYTES)
            for name in sorted(self.entries):
                entry = self.entries[name]
                is_folder = isinstance(entry, _Node)
                digest.update(name.encode("utf-8", "surrogatepass") + (b"/\0" if is_folder else b"\0"))
                digest.update(entry.digest() if isinstance(entry, _Node) else entry)
            self.hash = digest.digest()
        return self.hash


class MerkleTree:
    """A Merkle tree that is updated file by file. A path has slashes and begins at the root.

    Empty folders are not part of the tree.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]] = ()) -> None:
        self._root = _Node()
        for path, file_hash in files:
            self.put(path, file_hash)

    @property
    def root_hash(self) -> bytes:
        """The hash of the whole tree."""
        return self._root.digest()

    def put(self, path: str, file_hash: bytes) -> None:
        """Add or replace a file. What was a file above it, or a folder at its place, is removed.

        Args:
            path: The path of the file.
            file_hash: The hash of its bytes.
        """
        *folders, name = path.split("/")
        node = self._root
        node.hash = None
        for folder in folders:
            entry = node.entries.get(folder)
            if not isinstance(entry, _Node):
                entry = node.entries[folder] = _Node()
            entry.hash = None
            node = entry
        node.entries[name] = file_hash

    def remove(self, path: str) -> None:
        """Remove a file, and the folders that are empty without it. A path that is not in the tree changes nothing."""
        *folders, name = path.split("/")
        nodes = [self._root]
        for folder in folders:
            entry = nodes[-1].entries.get(folder)
            if not isinstance(entry, _Node):
                return
            nodes.append(entry)
        if not isinstance(nodes[-1].entries.get(name), bytes):
            return
        del nodes[-1].entries[name]
        for node in nodes:
            node.hash = None
        for parent, folder in zip(reversed(nodes[:-1]), reversed(folders), strict=True):
            child = parent.entries[folder]
            if isinstance(child, _Node) and child.entries:
                break
            del parent.entries[folder]

    def folder_hashes(self) -> Mapping[str, bytes]:
        """Return the hash of each folder by its path with a slash at the end; that of the root by ""."""
        hashes: dict[str, bytes] = {}
        waiting = [("", self._root)]
        while waiting:
            prefix, node = waiting.pop()
            hashes[prefix] = node.digest()
            for name, entry in node.entries.items():
                if isinstance(entry, _Node):
                    waiting.append((f"{prefix}{name}/", entry))
        return hashes

    def differences(self, other: MerkleTree) -> set[str]:
        """Return the paths of the files that only one of two trees has, or that have another hash in the other."""
        found: set[str] = set()
        waiting: list[tuple[str, _Node, _Node]] = [("", self._root, other._root)]
        while waiting:
            prefix, one, two = waiting.pop()
            if one.digest() == two.digest():
                continue
            for name in one.entries.keys() | two.entries.keys():
                a, b = one.entries.get(name), two.entries.get(name)
                if a != b and (isinstance(a, bytes) or isinstance(b, bytes)):
                    found.add(prefix + name)
                if isinstance(a, _Node) or isinstance(b, _Node):
                    nodes = tuple(entry if isinstance(entry, _Node) else _Node() for entry in (a, b))
                    waiting.append((f"{prefix}{name}/", nodes[0], nodes[1]))
        return found
