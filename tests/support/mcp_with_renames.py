"""The MCP server with a finder that knows only renames. With WAIT in the environment, a search ends by cancellation only."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from editahead_cli.main import main
from editahead_inference.finish.report import FinishReport
from editahead_workspace.finish import change_finish
from renaming_finisher import RenamingFinisher


class WaitingFinisher(RenamingFinisher):
    def find(self, *arguments: Any, check: Any = None, on_progress: Any = None, **rest: Any) -> FinishReport:
        on_progress(0, 2)
        try:
            while True:
                check()
        finally:
            Path(os.environ["WAIT"]).touch()


if __name__ == "__main__":
    change_finish.Finisher = WaitingFinisher if "WAIT" in os.environ else RenamingFinisher
    sys.exit(main(["mcp", *sys.argv[1:]]))
