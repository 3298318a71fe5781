"""Tests that go on for hours: `.venv/bin/python tools/campaigns fuzz|growth|kill|clients`, each with `--help`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "support"))
KEPT = "What was done stays in the cache: stop it at any time, it goes on from there."


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools/campaigns", description="Run tests that go on for hours.")
    campaigns = parser.add_subparsers(required=True)
    fuzz = campaigns.add_parser("fuzz", help="random input of all kinds", epilog=KEPT)
    fuzz.set_defaults(module="fuzz_long")
    fuzz.add_argument("--hours", type=float, default=24, help="hours of work in all (default: %(default)s)")
    growth = campaigns.add_parser("growth", help="what takes more than linear time, as its input grows")
    growth.set_defaults(module="growing_fuzz")
    growth.add_argument("--only", default="", help="a pattern of the names of functions")
    growth.add_argument("--log", type=Path, help="a file for all times, as lines of JSON")
    kill = campaigns.add_parser("kill", help="kill -9 at random moments", epilog=KEPT)
    kill.set_defaults(module="kill_long")
    kill.add_argument(
        "--times", dest="wanted", type=int, default=1000, help="kills in all (default: %(default)s)"
    )
    clients = campaigns.add_parser("clients", help="many clients of one server")
    clients.set_defaults(module="clients_long")
    clients.add_argument("--count", type=int, default=50, help="how many there are (default: %(default)s)")
    clients.add_argument(
        "--minutes", type=float, default=60, help="how long they stay (default: %(default)s)"
    )
    return parser


if __name__ == "__main__":
    options = vars(make_parser().parse_args())
    sys.exit(import_module(options.pop("module")).main(**options))
