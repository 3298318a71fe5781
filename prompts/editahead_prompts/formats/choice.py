"""Which format a model wants, by its name or by a setting."""

from __future__ import annotations

import re

from .fim import CODESTRAL, DEEPSEEK, QWEN, SEED_CODER, STARCODER
from .format import Format
from .own import OWN
from .sweep import SWEEP, SWEEP_CURSORTAB
from .tags import INSTRUCT, MERCURY
from .zeta1 import ZETA_1
from .zeta2 import ZETA_2
from .zeta21 import ZETA_2_1

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        *(ZETA_1, ZETA_2, ZETA_2_1, SWEEP, SWEEP_CURSORTAB, MERCURY, INSTRUCT, OWN),
        *(QWEN, CODESTRAL, DEEPSEEK, STARCODER, SEED_CODER),
    )
}
"""By the name that a setting gives."""

_SEP = r"[-_. ]?"
_BY_MODEL: tuple[tuple[str, Format], ...] = (
    (rf"zeta{_SEP}2[._-]1(?!\d)", ZETA_2_1),
    (rf"zeta{_SEP}2(?!\d)", ZETA_2),
    (r"\bzeta\b|[-_/]zeta|^zeta", ZETA_1),
    (r"sweep", SWEEP),
    (r"mercury", MERCURY),
    (r"editahead", OWN),
    (r"codestral", CODESTRAL),
    (rf"seed{_SEP}coder(?!.*instruct)", SEED_CODER),
    (r"starcoder", STARCODER),
    (rf"deepseek{_SEP}coder(?!.*instruct)", DEEPSEEK),
    (rf"qwen3{_SEP}coder(?!.*base)", INSTRUCT),
    (r"qwen(?!.*instruct)", QWEN),
    (r"instruct|chat", INSTRUCT),
)
"""The first that is found in a model's name, in lower case."""


def choose(model: str, setting: str | None = None) -> Format:
    """The format that the setting names, else the one for the model's name or path ("zed-industries/zeta-2",
    "sweep-next-edit-1.5b.q8_0.gguf"). ValueError, saying what there is, for an unknown setting or model."""
    if setting is not None:
        if setting not in FORMATS:
            raise ValueError(f"there is no prompt format {setting!r}; there are {', '.join(FORMATS)}")
        return FORMATS[setting]
    found = next((format for pattern, format in _BY_MODEL if re.search(pattern, model.lower())), None)
    if found is None:
        raise ValueError(f"which prompt format is {model!r} made for? Name one of {', '.join(FORMATS)}")
    return found
