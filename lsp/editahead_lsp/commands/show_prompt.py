"""`editahead predict --show-prompt`: what a format would send, coloured by part. No model is loaded."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .output import fail, tell_json

if TYPE_CHECKING:
    from editahead_lsp.outputs import PromptOutput
    from editahead_lsp.settings import Settings
    from editahead_prompts.composition.tokenizers import Tokenizer
    from editahead_prompts.formats.format import Request
    from editahead_prompts.state import State

COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "bright_red", "bright_cyan", "bright_green")
"""Of parts in the order in which they first stand, over and over."""


@dataclass(frozen=True)
class Counting:
    """A tokenizer, and what it is called: a place, "editahead", or how it is reckoned."""

    tokenizer: Tokenizer
    name: str


def run(args: argparse.Namespace, state: State, settings: Settings) -> int:
    """Exit code 1 when there is no such format, or not enough room."""
    from editahead_lsp import uris
    from editahead_lsp.converter import make_converter
    from editahead_prompts.composition.render import DoesNotFit
    from editahead_prompts.formats.choice import choose
    from editahead_prompts.formats.format import Paths

    wanted = args.format or (settings.format if settings.format != "auto" else None)
    try:
        format = choose(settings.model or "editahead", wanted)
    except ValueError as error:
        return fail(str(error))
    counting = _counting(format.name, settings.model)
    try:
        request = format.build(state, counting.tokenizer, paths=Paths((uris.of_path(Path.cwd()),)))
    except DoesNotFit as error:
        return fail(f"{format.name}: {error}")
    output = _output(request, format.name, format.context, counting.name)
    if args.json:
        tell_json(make_converter().unstructure(output))
    else:
        _show(output)
    return 0


def _counting(format: str, model: str | None) -> Counting:
    """The model's own where it is a folder with one, ours for our format, else an estimate."""
    from editahead_prompts.composition.tokenizers import ESTIMATE
    from editahead_prompts.composition.vocabulary import NoTokenizer, load, own

    try:
        if model is not None and Path(model).exists():
            return Counting(load(Path(model)), model)
        if format == "editahead":
            return Counting(own(), "editahead")
    except NoTokenizer:
        pass
    return Counting(ESTIMATE, f"{ESTIMATE.bytes_per_token} bytes a token")


def _output(request: Request, format: str, budget: int, tokenizer: str) -> PromptOutput:
    from editahead_lsp.outputs import LeftOutPart, PromptOutput, PromptPart

    prompt = request.prompt
    return PromptOutput(
        format,
        tokenizer,
        request.chat,
        request.system,
        prompt.text,
        [PromptPart(piece.name, piece.start, piece.end, piece.tokens) for piece in prompt.pieces],
        [LeftOutPart(left.name, left.tokens, left.why) for left in prompt.left_out],
        prompt.tokens,
        budget,
        request.max_tokens,
        list(request.stop),
    )


def _show(output: PromptOutput) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    console = Console(highlight=False)
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
    console.print(table)
    console.print(
        f"{output.format}: {output.tokens} of {output.budget} tokens ({output.tokenizer}), "
        f"an answer of up to {output.max_tokens}",
        soft_wrap=True,
    )
    for left in output.left_out:
        console.print(
            f"left out: {left.name}, {left.tokens} tokens: {left.why}", soft_wrap=True, markup=False
        )
