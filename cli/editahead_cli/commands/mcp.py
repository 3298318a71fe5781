"""`editahead mcp`: the tools for agents, as an MCP server on stdin and stdout."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

from editahead_cli.console import fail


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="PATH",
        help="the folder that agents may read and write; here by default",
    )


def run(args: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        return fail("the MCP SDK is not installed; install Editahead with it: pip install 'editahead[mcp]'")
    root = Path(os.path.normpath(Path.cwd() / args.root))
    if not root.is_dir():
        return fail(f"{args.root} is no folder")
    from editahead_cli.agent_tools.mcp_server import serve

    serve(root)
    return 0
