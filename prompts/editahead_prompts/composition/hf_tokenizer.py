"""Hugging Face tokenizers: a model's own, loaded from its files, and the bundled one of Editahead's models.

The library `tokenizers` is imported late, because only the extras that install models install it, and a server without a
model does not need it. Nothing is ever downloaded.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editahead_prompts.errors import TokenizerUnavailableError

from .tokenizers import ESTIMATE, CountsOnly, Tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Encoder

log = logging.getLogger(__name__)

FILE = "tokenizer.json"
"""Name of the tokenizer's file in a model's folder."""

VOCABULARY_FILE = Path(__file__).with_name("vocabulary.json")
"""The bundled vocabulary: special tokens, ordered merges, and provenance. Written by `editahead-lab train tokenizer`."""

WORDS = r" ?[^\W\d]+|\d{1,3}| ?[^\w\s]+|(?:\r?\n)+[ \t]*|[ \t]+(?!\S)|[ \t]+|\s"
"""Pattern of the pieces that no bundled token crosses: a word with the space before it, up to three digits, signs, line
ends with the following indentation, white space. `re` and `tokenizers` read the pattern alike."""

QWEN_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Pattern of the pieces of Qwen2's tokenizer, from its `tokenizer.json`."""

BUNDLED = "editahead"
"""Name of the bundled tokenizer, and part of the names of Editahead's models."""

COUNT_CACHE_SIZE = 4_096
"""Texts whose token counts are cached: lines and blocks of lines, which hardly change between requests."""

MAX_CACHED_CHARS = 4_000
"""Length of the longest text whose token count is cached, in characters."""

IDS_CACHE_SIZE = 4
"""Longer texts whose token ids are cached, because a prompt needs both its ids and their number."""


class HfTokenizer:
    """A `Tokenizer` that caches the results of a model's tokenizer. Not thread-safe."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._wholes: OrderedDict[str, tuple[int, ...]] = OrderedDict()

    def count(self, text: str) -> int:
        """Count the tokens of `text` alone; 0 for ""."""
        if len(text) > MAX_CACHED_CHARS:
            return len(self.encode(text))
        known = self._counts.get(text)
        if known is None:
            known = self._counts[text] = len(self._ids(text))
            if len(self._counts) > COUNT_CACHE_SIZE:
                self._counts.popitem(last=False)
        return known

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of `text`, without added tokens at the beginning or the end."""
        if len(text) <= MAX_CACHED_CHARS:
            return self._ids(text)
        known = self._wholes.pop(text, None)
        self._wholes[text] = known = self._ids(text) if known is None else known
        if len(self._wholes) > IDS_CACHE_SIZE:
            self._wholes.popitem(last=False)
        return known

    def offsets(self, text: str) -> tuple[int, ...]:
        """Return the offset of each token's first character in `text`."""
        encoded = self.encoder.encode(_without_surrogates(text), add_special_tokens=False)
        return tuple(start for start, _ in encoded.offsets)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of the tokens, special tokens included."""
        text: str = self.encoder.decode(list(ids), skip_special_tokens=False)
        return text

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self.encoder.encode(_without_surrogates(text), add_special_tokens=False).ids)


def _without_surrogates(text: str) -> str:
    """Return the text with a question mark for each lone surrogate, which the library rejects."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def load(place: Path) -> HfTokenizer:
    """Load the tokenizer in a model's folder or in a `tokenizer.json`.

    Raises:
        TokenizerUnavailableError: No tokenizer can be read there, or the library is not installed.
    """
    file = place / FILE if place.is_dir() else place
    try:
        found = file.stat()
        return HfTokenizer(_read(file, (found.st_size, found.st_mtime_ns, found.st_ino)))
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or not a path
        raise TokenizerUnavailableError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


@lru_cache(maxsize=1)
def _read(file: Path, version: tuple[int, ...]) -> Encoder:
    """Read a tokenizer once for all who count or compute with it: Qwen's takes half a second and 50 MB."""
    text = file.read_text("utf-8")
    encoder = _library().Tokenizer
    try:
        read: Encoder = encoder.from_str(text)
    except Exception as error:  # the library raises nothing more specific
        raise TokenizerUnavailableError(f"{file}: not a tokenizer ({error})") from error
    return read


@cache
def bundled_tokenizer() -> HfTokenizer:
    """Return the bundled tokenizer.

    Raises:
        TokenizerUnavailableError: The library is not installed.
    """
    _library()
    data = json.loads(VOCABULARY_FILE.read_text("utf-8"))
    return build_bpe(data["special"], data["merges"])


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer and its name: a folder, "editahead", or the rule of an estimate."""

    tokenizer: Tokenizer
    name: str


def tokenizer_for(model: str, *, ours: bool) -> NamedTokenizer:
    """Return the tokenizer that counts the tokens of a model's prompts.

    A model whose name is a folder has its own tokenizer. A relative name is never taken for a folder, because any
    repository could hold one of that name. An Editahead model has the bundled tokenizer, which only counts, because the
    model may be of another version. Other models have an estimate.

    Args:
        model: The model's name, or the absolute path of its folder.
        ours: Whether the prompt format is Editahead's own.
    """
    folder = Path(model)
    try:
        if folder.is_absolute() and folder.is_dir():
            return NamedTokenizer(load(folder), model)
        if ours and BUNDLED in model.lower():
            # A new wrapper, because the cached `HfTokenizer` is not thread-safe.
            return NamedTokenizer(CountsOnly(HfTokenizer(bundled_tokenizer().encoder)), BUNDLED)
    except TokenizerUnavailableError as error:
        log.info("tokens of prompts are estimated: %s", error)
    return NamedTokenizer(ESTIMATE, f"{ESTIMATE.bytes_per_token} bytes a token")


def build_bpe(special: Sequence[str], merges: Sequence[str]) -> HfTokenizer:
    """Build a byte-level BPE tokenizer. Ids number the special tokens, then the bytes, then the merges."""
    library = _library()
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    tokens = dict.fromkeys([*special, *alphabet, *(left + right for left, right in pairs)])
    vocabulary: Mapping[str, int] = {token: number for number, token in enumerate(tokens)}
    encoder = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=pairs))
    configure(encoder)
    encoder.add_special_tokens(list(special))
    return HfTokenizer(encoder)


def build_digit_bpe(tokens: Sequence[str], merges: Sequence[str], special: Sequence[str]) -> HfTokenizer:
    """Build a byte-level BPE tokenizer that splits digits from each other, as SmolLM's. Ids number the tokens."""
    cuts = _library().pre_tokenizers
    split = [cuts.Digits(individual_digits=True), cuts.ByteLevel(add_prefix_space=False)]
    return HfTokenizer(_byte_level_bpe(tokens, merges, special, split))


def build_qwen_bpe(tokens: Sequence[str], merges: Sequence[str], special: Sequence[str]) -> HfTokenizer:
    """Build a byte-level BPE tokenizer with the pieces of Qwen2's. Ids number the tokens."""
    library = _library()
    cuts = library.pre_tokenizers
    split = [
        cuts.Split(library.Regex(QWEN_WORDS), "isolated"),
        cuts.ByteLevel(add_prefix_space=False, use_regex=False),
    ]
    encoder = _byte_level_bpe(tokens, merges, special, split)
    encoder.normalizer = library.normalizers.NFC()
    return HfTokenizer(encoder)


def _byte_level_bpe(
    tokens: Sequence[str], merges: Sequence[str], special: Sequence[str], split: Sequence[Any]
) -> Encoder:
    library = _library()
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    encoder: Encoder = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=pairs))
    encoder.pre_tokenizer = library.pre_tokenizers.Sequence(list(split))
    encoder.decoder = library.decoders.ByteLevel()
    encoder.add_special_tokens(list(special))
    return encoder


def configure(encoder: Encoder) -> None:
    """Set the pre-tokenizer and the decoder of the bundled vocabulary."""
    library = _library()
    cuts, decoders = library.pre_tokenizers, library.decoders
    encoder.pre_tokenizer = cuts.Sequence(
        [
            cuts.Split(library.Regex(WORDS), "isolated"),
            cuts.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    encoder.decoder = decoders.ByteLevel()


def _library() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise TokenizerUnavailableError(
            "it needs the package tokenizers: pip install 'editahead[local]'"
        ) from error
    return tokenizers
