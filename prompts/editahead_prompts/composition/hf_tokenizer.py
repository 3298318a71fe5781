"""Real tokenizers: that of a model in use, from its files, and our own, which comes with the package.

`tokenizers` (Hugging Face) does the work and is imported late: it comes with the extras that bring models, and a server
without a model does not need it. Nothing is ever downloaded.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .tokenizers import ESTIMATE, CountsOnly, Tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Encoder

log = logging.getLogger(__name__)

FILE = "tokenizer.json"
"""What the file is called in a model's folder."""

OWN = Path(__file__).with_name("vocabulary.json")
"""Our own vocabulary: its special tokens, its merges in order, and its provenance. `editahead train tokenizer` writes it."""

WORDS = r" ?[^\W\d]+|\d{1,3}| ?[^\w\s]+|(?:\r?\n)+[ \t]*|[ \t]+(?!\S)|[ \t]+|\s"
"""What no token of ours reaches beyond: a word with the space before it, three digits, signs, line ends with the indentation
that follows, white space. Read the same by `re` and by `tokenizers`."""

BUNDLED = "editahead"
"""In the names of our models."""

COUNT_CACHE_SIZE = 4_096
"""Texts whose token counts are cached: lines and blocks of lines, which hardly change between requests."""

MAX_CACHED_CHARS = 4_000
"""Length of the longest text whose token count is cached, in characters."""

IDS_CACHE_SIZE = 4
"""Longer texts whose token ids are cached, because a prompt needs both its ids and their number."""


class TokenizerUnavailableError(Exception):
    """A tokenizer that cannot be had; the message is for a person."""


class HfTokenizer:
    """A model's tokenizer, behind `Tokenizer`. Not for several threads at once."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._wholes: OrderedDict[str, tuple[int, ...]] = OrderedDict()

    def count(self, text: str) -> int:
        """How many tokens `text` has by itself; 0 for ""."""
        if len(text) > MAX_CACHED_CHARS:
            return len(self.encode(text))
        known = self._counts.get(text)
        if known is None:
            known = self._counts[text] = len(self._ids(text))
            if len(self._counts) > COUNT_CACHE_SIZE:
                self._counts.popitem(last=False)
        return known

    def encode(self, text: str) -> tuple[int, ...]:
        """Their ids. No token is added at the beginning or the end."""
        if len(text) <= MAX_CACHED_CHARS:
            return self._ids(text)
        known = self._wholes.pop(text, None)
        self._wholes[text] = known = self._ids(text) if known is None else known
        if len(self._wholes) > IDS_CACHE_SIZE:
            self._wholes.popitem(last=False)
        return known

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the tokens, special ones included."""
        text: str = self.encoder.decode(list(ids), skip_special_tokens=False)
        return text

    def _ids(self, text: str) -> tuple[int, ...]:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode(
                "utf-8"
            )  # half a surrogate pair is no text to others
        return tuple(self.encoder.encode(text, add_special_tokens=False).ids)


def load(place: Path) -> HfTokenizer:
    """The tokenizer in a model's folder, or in a `tokenizer.json`. NoTokenizer when there is none that can be read."""
    file = place / FILE if place.is_dir() else place
    try:
        text = file.read_text("utf-8")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no path
        raise TokenizerUnavailableError(f"{file}: {getattr(error, 'strerror', None) or error}") from error
    encoder = _library().Tokenizer
    try:
        return HfTokenizer(encoder.from_str(text))
    except Exception as error:  # the library raises nothing more specific
        raise TokenizerUnavailableError(f"{file}: not a tokenizer ({error})") from error


@cache
def bundled_tokenizer() -> HfTokenizer:
    """Our own. NoTokenizer without the library."""
    _library()
    data = json.loads(OWN.read_text("utf-8"))
    return build_bpe(data["special"], data["merges"])


@dataclass(frozen=True)
class NamedTokenizer:
    """A tokenizer, and what it is called: a folder, "editahead", or how it is reckoned."""

    tokenizer: Tokenizer
    name: str


def tokenizer_for(model: str, *, ours: bool) -> NamedTokenizer:
    """What a model's prompts are counted with: its own tokenizer, where its name is a folder on this machine; ours, where
    the format is `ours` and so is the model, to count by only, as that may be of another version; else an estimate. A
    relative name is none of a folder: it could be one in any repository."""
    folder = Path(model)
    try:
        if folder.is_absolute() and folder.is_dir():
            return NamedTokenizer(load(folder), model)
        if ours and BUNDLED in model.lower():
            # What `own()` keeps is not for several threads.
            return NamedTokenizer(CountsOnly(HfTokenizer(bundled_tokenizer().encoder)), BUNDLED)
    except TokenizerUnavailableError as error:
        log.info("tokens of prompts are estimated: %s", error)
    return NamedTokenizer(ESTIMATE, f"{ESTIMATE.bytes_per_token} bytes a token")


def build_bpe(special: Sequence[str], merges: Sequence[str]) -> HfTokenizer:
    """A byte-level vocabulary: ids go to the special tokens, then to the bytes, then to what each merge makes."""
    library = _library()
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    alphabet = sorted(library.pre_tokenizers.ByteLevel.alphabet())
    tokens = dict.fromkeys([*special, *alphabet, *(left + right for left, right in pairs)])
    vocabulary: Mapping[str, int] = {token: number for number, token in enumerate(tokens)}
    encoder = library.Tokenizer(library.models.BPE(vocab=vocabulary, merges=pairs))
    configure(encoder)
    encoder.add_special_tokens(list(special))
    return HfTokenizer(encoder)


def configure(encoder: Encoder) -> None:
    """How our vocabulary cuts text before it merges, and puts it together again."""
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
