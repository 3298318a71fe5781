"""Files of states: one JSON object a line, `{"session", "state"}`, compressed with zstd."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard

from editahead_lab.errors import StatesError
from editahead_prompts.errors import InvalidStateError
from editahead_prompts.secrets.masked_state import mask_state
from editahead_prompts.secrets.masking import SecretMasker
from editahead_prompts.state import EditorState
from editahead_prompts.state_json import state_from_json, state_to_json

_WINDOW_LOG = 27
"""States of a session repeat each other's documents: matches are looked for far back."""


def write_states(path: Path, states: Iterable[tuple[str, EditorState]]) -> int:
    """Write each state with its session's name, and return the number of states. Secrets become placeholders.

    Raises:
        StatesError: the file cannot be written.
    """
    settings = zstandard.ZstdCompressionParameters.from_level(6, window_log=_WINDOW_LOG, enable_ldm=True)
    count = 0
    masker = SecretMasker()
    try:
        with (
            path.open("wb") as file,
            zstandard.ZstdCompressor(compression_params=settings).stream_writer(file) as out,
        ):
            for session, state in states:
                masked, _ = mask_state(state, masker)
                out.write(json.dumps({"session": session, "state": state_to_json(masked)}).encode() + b"\n")
                count += 1
    except OSError as error:
        raise StatesError(f"{path}: {error.strerror or error}") from error
    return count


def read_states(path: Path) -> Iterator[tuple[str, EditorState]]:
    """Yield each state with its session's name.

    Raises:
        StatesError: the file cannot be read, or is damaged.
    """
    number = 0
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=2**_WINDOW_LOG).stream_reader(file)
            for line in io.TextIOWrapper(reader, "utf-8", newline="\n"):
                number += 1
                value = json.loads(line)
                yield str(value["session"]), state_from_json(value["state"])
    except OSError as error:
        raise StatesError(f"{path}: {error.strerror or error}") from error
    except zstandard.ZstdError as error:
        raise StatesError(f"{path}: not a zstd file, or a damaged one ({error})") from error
    except InvalidStateError as error:
        raise StatesError(f"{path}, line {number}: {error}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise StatesError(f"{path}, line {number}: not a state ({error})") from error
