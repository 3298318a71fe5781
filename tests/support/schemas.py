"""Validation of real messages by the schemas in docs/schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

FOLDER = Path(__file__).parents[2] / "docs" / "schema"


def validate(name: str, part: str, value: Any) -> None:
    """Validate a part of a message.

    Args:
        name: The schema's file without its extension, such as "method.editahead.nextEdit".
        part: "params", "result" or "output".
    """
    schema = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    whole = {"$ref": f"#/properties/{part}", "properties": schema["properties"], "$defs": schema["$defs"]}
    jsonschema.Draft202012Validator(whole).validate(value)
