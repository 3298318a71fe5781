"""`editahead predict --show-prompt`: print the prompt of a format, coloured by part. No model is loaded."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_output

if TYPE_CHECKING:
    from editahead_cli.json_output import OmittedPartOutput, PromptOutput
    from editahead_prompts.formats.base import PromptRequest
    from editahead_prompts.state import EditorState
    from editahead_workspace.settings import Settings

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
"""Colours of parts in the order of their first appearance, repeated as needed."""


def run(args: argparse.Namespace, state: EditorState, settings: Settings) -> int:
    """Print the prompt. The exit code is 1 when there is no such format, or not enough room."""
    from editahead_prompts.composition.hf_tokenizer import BUNDLED, tokenizer_for
    from editahead_prompts.errors import PromptTooLongError
    from editahead_prompts.formats.base import PromptPaths
    from editahead_prompts.formats.next_edit.editahead_2611 import EDITAHEAD
    from editahead_prompts.formats.registry import select_format
    from editahead_prompts.secrets.masked_state import mask_state
    from editahead_prompts.secrets.masking import SecretMasker
    from editahead_workspace import uris

    wanted = args.format or (settings.format if settings.format != "auto" else None)
    try:
        format = select_format(settings.model or BUNDLED, wanted)
    except ValueError as error:
        return fail(str(error))
    found = tokenizer_for(settings.model or BUNDLED, ours=format is EDITAHEAD)
    state, _ = mask_state(state, SecretMasker())
    try:
        request = format.build(state, found.tokenizer, paths=PromptPaths((uris.path_to_uri(Path.cwd()),)))
    except PromptTooLongError as error:
        return fail(f"{format.name}: {error}")
    output = _output(request, format.name, format.context, found.name)
    if args.json:
        print_output(output)
    else:
        _print_prompt(output)
    return 0


def _output(request: PromptRequest, format: str, budget: int, tokenizer: str) -> PromptOutput:
    from editahead_cli.json_output import OmittedPartOutput, PromptOutput, PromptPart

    prompt = request.prompt
    return PromptOutput(
        format,
        tokenizer,
        request.chat,
        request.system,
        prompt.text,
        [PromptPart(piece.name, piece.start, piece.end, piece.tokens) for piece in prompt.pieces],
        [OmittedPartOutput(left.name, left.tokens, left.why) for left in prompt.left_out],
        prompt.tokens,
        budget,
        request.max_tokens,
        list(request.stop),
    )


def _print_prompt(output: PromptOutput) -> None:
    from rich.table import Column, Table
    from rich.text import Text

    from editahead_cli.rich_console import SafeConsole

    console = SafeConsole(highlight=False)
    styles: dict[str, str] = {}
    tokens: dict[str, int] = {}
    text = Text()
    for part in output.parts:
        name = part.name.partition("/")[0] or "-"
        style = styles.setdefault(name, COLOURS[len(styles) % len(COLOURS)])
        tokens[name] = tokens.get(name, 0) + part.tokens
        text.append(output.text[part.start : part.end], style)
    if output.system is not None:
        console.print(Text(output.system, "dim"), soft_wrap=True)
    console.print(text, soft_wrap=True)
    table = Table("part", Column("tokens", justify="right"), box=None, pad_edge=False)
    for name, count in tokens.items():
        table.add_row(Text(name, styles[name]), f"{count}")
    console.print("The tokens of each part of the prompt:")
    console.print(table)
    console.print(
        f"{output.format}: {output.tokens} of {output.budget} tokens ({output.tokenizer}), "
        f"an answer of up to {output.max_tokens}",
        soft_wrap=True,
    )
    for line in _left_out(output.left_out):
        console.print(f"left out: {line}", soft_wrap=True, markup=False)


def _left_out(parts: Sequence[OmittedPartOutput]) -> Iterator[str]:
    """Yield a line for each group and reason."""
    groups: dict[tuple[str, str], list[OmittedPartOutput]] = {}
    for part in parts:
        groups.setdefault((part.name.partition("/")[0], part.why), []).append(part)
    for (group, why), inside in groups.items():
        name = inside[0].name if len(inside) == 1 else f"{group}, {len(inside)} parts"
        yield f"{name}, {sum(part.tokens for part in inside)} tokens: {why}"
