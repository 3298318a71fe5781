"""The format of a prompt, told by the prompt itself."""

from __future__ import annotations

from editahead_prompts.errors import UnmarkedPromptError

from .base import ReadPrompt
from .editahead import read_editahead, read_editahead_coder
from .fim import read_fim
from .mercury import read_mercury
from .sweep import read_sweep
from .zeta1 import read_zeta1
from .zeta2 import read_zeta2

_READERS = (read_zeta1, read_zeta2, read_sweep, read_mercury, read_editahead, read_editahead_coder, read_fim)
"""The readers. A prompt with more marks comes before one that has some of them."""


def read_prompt(prompt: str) -> ReadPrompt:
    """Return what a prompt says of the state.

    Raises:
        UnmarkedPromptError: No reader knows its format.
        UnreadablePromptError: A part of it is missing. The message is for the user.
    """
    for read in _READERS:
        found = read(prompt)
        if found is not None:
            return found
    raise UnmarkedPromptError("the prompt has the marks of no format that Editahead reads")
