"""The known formats, and their selection by a model's name or by a setting."""

from __future__ import annotations

import re

from editahead_prompts.errors import UnknownFormatError

from .apply.base import ApplyFormat
from .apply.editahead_2611 import EDITAHEAD_APPLY
from .apply.fastapply import AIXAPPLY, FASTAPPLY
from .apply.instruct import INSTRUCT_APPLY
from .base import Format
from .next_edit.editahead_2611 import EDITAHEAD
from .next_edit.editahead_coder_2611 import EDITAHEAD_CODER
from .next_edit.fim import CODESTRAL, DEEPSEEK, MELLUM, QWEN, SEED_CODER, STARCODER
from .next_edit.mercury import INSTRUCT, MERCURY
from .next_edit.sweep import SWEEP, SWEEP_CURSORTAB
from .next_edit.zeta1 import ZETA_1
from .next_edit.zeta2 import ZETA_2
from .next_edit.zeta21 import ZETA_2_1

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        *(ZETA_1, ZETA_2, ZETA_2_1, SWEEP, SWEEP_CURSORTAB, MERCURY, INSTRUCT),
        *(EDITAHEAD, EDITAHEAD_CODER),
        *(QWEN, CODESTRAL, DEEPSEEK, STARCODER, SEED_CODER, MELLUM),
    )
}
"""Formats for next edits, by their name in settings."""

APPLY_FORMATS: dict[str, ApplyFormat] = {
    format.name: format for format in (EDITAHEAD_APPLY, INSTRUCT_APPLY, FASTAPPLY, AIXAPPLY)
}
"""Formats for Apply, by name. A name that is also in `FORMATS` belongs to models for both tasks."""

NAMES = (*FORMATS, *(name for name in APPLY_FORMATS if name not in FORMATS))
"""Names that the setting accepts."""

_SEP = r"[-_. ]?"
_BY_MODEL: tuple[tuple[str, str], ...] = (
    (rf"fast{_SEP}apply", FASTAPPLY.name),
    (rf"aix{_SEP}apply", AIXAPPLY.name),
    (rf"zeta{_SEP}2[._-]1(?!\d)", ZETA_2_1.name),
    (rf"zeta{_SEP}2(?!\d)", ZETA_2.name),
    (r"\bzeta\b|[-_/]zeta|^zeta", ZETA_1.name),
    (r"sweep", SWEEP.name),
    (r"mercury", MERCURY.name),
    (rf"editahead{_SEP}coder", EDITAHEAD_CODER.name),
    (r"editahead", EDITAHEAD.name),
    (r"codestral", CODESTRAL.name),
    (rf"seed{_SEP}coder(?!.*instruct)", SEED_CODER.name),
    (r"starcoder", STARCODER.name),
    (rf"mellum{_SEP}4b", MELLUM.name),
    (rf"deepseek{_SEP}coder(?!.*instruct)", DEEPSEEK.name),
    (rf"qwen3{_SEP}coder(?!.*base)", INSTRUCT.name),
    (r"qwen(?!.*instruct)", QWEN.name),
    (r"instruct|chat", INSTRUCT.name),
)
"""Pattern and format name; the first pattern found in a model's lower-case name selects the format."""


def select_format(model: str, setting: str | None = None) -> Format:
    """Select the format for next edits by the setting, else by the model's name or path.

    Args:
        model: A name such as "zed-industries/zeta-2" or "sweep-next-edit-1.5b.q8_0.gguf".
        setting: The name of a format, or None.

    Raises:
        UnknownFormatError: The setting or the model is unknown, or the model is for Apply alone.
    """
    name = format_name(model, setting)
    if name not in FORMATS:
        raise UnknownFormatError(f"{name!r} is a format for Apply: no next edits are asked for in it")
    return FORMATS[name]


def select_apply_format(model: str, setting: str | None = None) -> ApplyFormat | None:
    """Select the format for Apply in the same way; None for a model without one.

    Raises:
        UnknownFormatError: The setting or the model is unknown.
    """
    return APPLY_FORMATS.get(format_name(model, setting))


def format_name(model: str, setting: str | None = None) -> str:
    """Return the name of a model's format.

    Raises:
        UnknownFormatError: The setting or the model is unknown.
    """
    if setting is not None:
        if setting not in NAMES:
            raise UnknownFormatError(f"there is no prompt format {setting!r}; there are {', '.join(NAMES)}")
        return setting
    found = next((name for pattern, name in _BY_MODEL if re.search(pattern, model.lower())), None)
    if found is None:
        raise UnknownFormatError(f"which prompt format is {model!r} made for? Name one of {', '.join(NAMES)}")
    return found
