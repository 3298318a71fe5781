"""Libraries that only some environments have."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(library: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests where a library is missing. Unlike `importorskip`, it takes no seconds to import it."""
    return pytest.mark.skipif(find_spec(library) is None, reason=f"{library} comes with the extra `train`")
