"""What one schema file holds, for each kind of message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Shape:
    """The contents of one schema file.

    Attributes:
        name: The file's name without its extension.
        title: The method, command or command line.
        what: One sentence that describes it.
        parts: The type of each part, and whether the server reads or sends the part.
        example: An object for each part.
    """

    name: str
    title: str
    what: str
    parts: dict[str, tuple[Any, Literal["read", "sent"]]]
    example: dict[str, Any]


def make_request(method: str, what: str, params: Any, result: Any, result_type: Any = None) -> Shape:
    parts = {"params": (type(params), "read"), "result": (result_type or type(result), "sent")}
    return Shape(
        f"method.{method.replace('/', '.')}", method, what, parts, {"params": params, "result": result}
    )


def make_notification(
    method: str, what: str, params: Any, direction: Literal["read", "sent"] = "read"
) -> Shape:
    name = f"method.{method.replace('/', '.')}"
    return Shape(name, method, what, {"params": (type(params), direction)}, {"params": params})


def make_command(
    command: str, what: str, arguments: list[Any], result: Any, *, needed: bool = False
) -> Shape:
    parts = {
        "arguments": (tuple[type(arguments[0]), needed] if arguments else tuple[()], "read"),
        "result": (type(result), "sent"),
    }
    return Shape(f"command.{command}", command, what, parts, {"arguments": arguments, "result": result})


def make_output(command: str, what: str, output: Any, kind: Any = None) -> Shape:
    program = "editahead-lab " if command.startswith("editahead-lab ") else "editahead "
    name = (
        command.removeprefix(program)
        .removesuffix(" --json")
        .lstrip("-")
        .replace(" --", "-")
        .replace(" ", "-")
    )
    return Shape(
        f"output.{name}", command, what, {"output": (kind or type(output), "sent")}, {"output": output}
    )
