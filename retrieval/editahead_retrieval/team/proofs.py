"""Proofs of content: keyed hashes that only a client with the key of the team and with the content can compute.

The server stores a hash of each proof, and no proof: a copy of the database gives no access to what it describes.
"""

from __future__ import annotations

import re
import secrets  # noqa: TID251  # a new key is to be guessed by no one
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b, sha256

from editahead_retrieval.errors import TeamIndexError
from editahead_retrieval.index import chunker, schema

KEY_BYTES = 32
NAME_BYTES = 16
"""Bytes of a proof, and of the name under which the server knows what was proven."""
_HEX_KEY = re.compile(rf"[0-9a-fA-F]{{{2 * KEY_BYTES}}}")


@dataclass(frozen=True)
class TeamKey:
    """The key of a team, for one encoder. Contents and chunks of another encoder have other proofs.

    Attributes:
        secret: The key, which the server does not have.
        encoder: The name of the encoder whose vectors are shared.
    """

    secret: bytes
    encoder: str

    def prove_content(self, content_hash: bytes, language: str) -> bytes:
        """Return the proof of a file's content.

        Args:
            content_hash: The hash of its bytes.
            language: The LSP language id, which decides how the file is cut into chunks.
        """
        return self._prove("content", language.encode() + b"\0" + content_hash)

    def prove_chunk(self, chunk_hash: bytes) -> bytes:
        """Return the proof of a chunk by its hash."""
        return self._prove("chunk", chunk_hash)

    def prove_root(self, clone_hash: bytes) -> bytes:
        """Return the proof of a whole clone by the hash of all its files."""
        return self._prove("root", clone_hash)

    def name_clone(self, root: str, user_secret: bytes) -> bytes:
        """Return the name of a clone, which tells neither its folder nor its machine.

        Args:
            root: The folder of the clone.
            user_secret: The secret of the user on this machine.
        """
        digest = blake2b(root.encode("utf-8", "surrogatepass"), key=user_secret, digest_size=NAME_BYTES)
        return self._prove("clone", digest.digest())

    def _prove(self, kind: str, value: bytes) -> bytes:
        versions = f"{chunker.VERSION}.{schema.SCHEMA_VERSION}"
        head = f"{kind}\0{self.encoder}\0{versions}\0".encode()
        return blake2b(head + value, key=self.secret, digest_size=NAME_BYTES).digest()


def stored_name(proof: bytes) -> bytes:
    """Return the name under which the server stores what a proof is of."""
    return sha256(proof).digest()[:NAME_BYTES]


def create_key() -> str:
    """Return a new key of a team, as text."""
    return secrets.token_hex(KEY_BYTES)


def read_key(environment: Mapping[str, str], name: str) -> bytes:
    """Return the key of a team.

    Args:
        environment: The environment variables.
        name: The variable with the key.

    Raises:
        TeamIndexError: There is no such variable, or it holds no key.
    """
    if not name:
        raise TeamIndexError(
            "the setting `team_index_key_env` names no environment variable with the team's key"
        )
    text = environment.get(name, "").strip()
    if _HEX_KEY.fullmatch(text) is None:
        what = f"is no key of {2 * KEY_BYTES} hexadecimal digits" if text else "is not set"
        raise TeamIndexError(f"the environment variable {name} with the team's key {what}")
    return bytes.fromhex(text)
