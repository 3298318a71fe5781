"""The kinds of hunks, and their sources."""

from __future__ import annotations

from typing import Literal

HunkClass = Literal["semantic", "rename", "moved", "import", "comment", "formatting"]
"""The kind of change. "semantic" needs reading most. The list is closed, as part of the wire contract."""

HunkOrigin = Literal["matched", "model"]
"""The source of a hunk: the merge, or the rewrite of a model."""
