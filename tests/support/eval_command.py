"""`editahead eval` and `editahead-lab eval`, called in this process, and records for them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import zstandard

from editahead_cli.commands import eval as product
from editahead_evals.data.edit_records import Record
from editahead_lab.main import main as lab

BEFORE = "total = 1\nprint(total)\n\n\ndef show():\n    return total\n"
RECORDS = [
    Record("r@1:a.py", "r", "1", "Rename", "a.py", "python", BEFORE, BEFORE.replace("total", "amount")),
    Record("r@1:b.ts", "r", "1", "One hunk", "b.ts", "typescript", "let a = 1;\n", "let é𝒳 = 1;\n"),
    Record("r@1:sub/c.go", "r", "1", "Nothing", "sub/c.go", "go", "package c\n", "package c\n"),
]


def write_records(folder: Path, records: Iterable[Record] = RECORDS) -> Path:
    """Write a file of edit records and return its path."""
    path = folder / "edits.jsonl.zst"
    path.write_bytes(zstandard.compress("".join(json.dumps(asdict(r)) + "\n" for r in records).encode()))
    return path


def run_eval(*arguments: str) -> int:
    """Return the exit status of `editahead eval` with these arguments."""
    parser = argparse.ArgumentParser()
    product.add_arguments(parser)
    return product.run(parser.parse_args(arguments))


def run_lab_eval(*arguments: str) -> int:
    """Return the exit status of `editahead-lab eval` with these arguments."""
    return lab(["eval", *arguments])
