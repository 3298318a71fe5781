"""Make docs/demo.svg: two scenes of `editahead demo`, played by the real server, as a terminal shows them.

    python tools/docs/make_picture.py docs/demo.svg

The latencies in the picture are those of the machine that made it.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console

from editahead_cli.commands.demo import SETTINGS
from editahead_cli.demo.player import Player
from editahead_cli.demo.scenes import sample_scenes
from editahead_cli.demo.terminal_view import TerminalView
from editahead_evals.client.editor import Editor

SCENES = ("A rename", "A repeated insertion")
COLUMNS = 98


def picture() -> str:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    screen = TerminalView(console, None)
    with Editor(SETTINGS) as editor:
        Player(editor, screen.show).play([scene for scene in sample_scenes() if scene.title in SCENES])
    svg = console.export_svg(title="editahead demo", unique_id="demo")
    # Rich asks a web server for its font; a picture in a README must not send requests.
    return re.sub(r" *@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
