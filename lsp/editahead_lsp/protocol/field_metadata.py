"""The metadata of fields of messages, which the converter and the schemas read."""

from __future__ import annotations

OMIT_IF_NONE = "omitted"
"""The key in the metadata of fields that are not sent when they are None."""

OPTIONAL = {OMIT_IF_NONE: True}
"""The metadata of such a field."""
