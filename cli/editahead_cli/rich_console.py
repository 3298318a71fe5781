"""The console for tables, progress and animation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from editahead_prompts.text.control_characters import escape_text


class SafeConsole(Console):
    """A console that escapes what steers a terminal in everything it prints, and takes no text for markup or emoji."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Return the segments to print. Only rich's own control codes, such as those of progress bars, stay."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else escape_text(text), style, control)
