"""Makes docs/protocol.schema.json: the shapes of Editahead's own messages, from `editahead_lsp.protocol`.

    python docs/make_schema.py docs/protocol.schema.json

What the server sends has every field; of what it reads, only the fields without a default are required.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

import attrs

from editahead_lsp import protocol as wire
from editahead_lsp.converter import camel

MESSAGES: dict[str, tuple[type, type | None]] = {
    wire.NEXT_EDIT: (wire.NextEditParams, wire.NextEditResult),
    wire.INLINE_EDIT: (wire.InlineParams, wire.InlineEditResult),
    wire.OUTCOME: (wire.OutcomeParams, None),
    wire.DID_SHOW_INLINE_EDIT: (wire.DidShowParams, None),
    wire.DID_SHOW_COMPLETION: (wire.DidShowParams, None),
    wire.DID_PARTIALLY_ACCEPT_COMPLETION: (wire.DidShowParams, None),
    wire.DID_FOCUS: (wire.DidFocusParams, None),
}
"""Methods, with the classes of their params and, for requests, of their results."""

COMMANDS: dict[str, type | None] = {
    wire.ACCEPT: None,
    wire.REJECT: None,
    wire.GO_NEXT: wire.GoNextResult,
    wire.WHY: wire.WhyResult,
    wire.STATUS: wire.StatusResult,
    wire.RESET_LEARNING: None,
}
"""Commands of `workspace/executeCommand`, with the classes of their results."""


class Shapes:
    """Collects the definitions that the shapes of one direction refer to. direction: "read" or "sent"."""

    def __init__(self, direction: str) -> None:
        self._direction = direction
        self.definitions: dict[str, Any] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        plain = {
            str: "string",
            int: "integer",
            float: "number",
            bool: "boolean",
            NoneType: "null",
            None: "null",
        }
        arguments = get_args(kind)
        if kind is Any:
            return {}
        if kind in plain:
            return {"type": plain[kind]}
        if get_origin(kind) is Literal:
            return {"enum": list(arguments)}
        if get_origin(kind) is list:
            return {"type": "array", "items": self.of(arguments[0])}
        if get_origin(kind) is UnionType:
            return {"anyOf": [self.of(argument) for argument in arguments]}
        return self._reference(kind)

    def _reference(self, cls: type) -> dict[str, str]:
        if cls.__name__ not in self.definitions:
            fields = attrs.fields(attrs.resolve_types(cls))
            names = {field.name: camel(field.name) for field in fields}
            required = [f for f in fields if self._direction == "sent" or f.default is attrs.NOTHING]
            self.definitions[cls.__name__] = {
                "type": "object",
                "properties": {names[field.name]: self.of(field.type) for field in fields},
                "required": [names[field.name] for field in required],
            }
        return {"$ref": f"#/$defs/{self._direction}/{cls.__name__}"}


def schema() -> dict[str, Any]:
    read, sent = Shapes("read"), Shapes("sent")
    methods = {
        method: {"params": read.of(params)} | ({} if result is None else {"result": sent.of(result)})
        for method, (params, result) in MESSAGES.items()
    }
    commands = {command: {"result": sent.of(result)} for command, result in COMMANDS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Editahead's own messages",
        "methods": methods,
        "commands": commands,
        "$defs": {"read": read.definitions, "sent": sent.definitions},
    }


def text() -> str:
    return json.dumps(schema(), indent=1) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
