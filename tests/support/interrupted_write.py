"""A process that writes several files and ends itself at one moment.

python interrupted_write.py SIGNAL FIRST LAST FOLDER...

For each moment from FIRST to LAST, a child writes the files of a copy of the sample. Before its MOMENTth call of the
system it sends the signal to itself. The copies are FOLDER/MOMENT/work, with the journals in FOLDER/MOMENT/journals. Prints
the moments at which a child ended on its own, before the signal.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from editahead_workspace.errors import WriteError
from editahead_workspace.file_writes.transaction import FileWrite, write_all

CALLS = ("open", "link", "rename", "unlink", "fsync", "mkdir", "rmdir", "write", "fchmod", "close")
OLD = {f"{'deep/' * (n % 2)}old{n}": b"old %d" % n for n in range(4)}
NEW = {
    **{name: text.replace(b"old", b"new") for name, text in OLD.items() if name != "old2"},
    "made/in/new": b"new",
}


def set_up(folder: Path) -> None:
    for name, text in OLD.items():
        path = folder / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


def held(folder: Path) -> dict[str, bytes]:
    """Return the texts of all files in the folder's copy, hidden ones too."""
    work = folder / "work"
    return {p.relative_to(work).as_posix(): p.read_bytes() for p in work.rglob("*") if p.is_file()}


def write(folder: Path) -> None:
    work = folder / "work"
    writes = [FileWrite(work / name, OLD.get(name), NEW.get(name)) for name in sorted({*OLD, *NEW})]
    write_all(writes, [work], folder / "journals")


def _interrupt_at(moment: int, number: int) -> None:
    """Make the system's calls count, and send the signal before one of them."""
    count = iter(range(1, 1 << 30))

    def counted(real: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            if next(count) == moment:
                os.kill(os.getpid(), number)
            return real(*arguments, **more)

        return call

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))


def main() -> None:
    number, first, last, folder = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    for moment in range(first, last + 1):
        copy = folder / str(moment)
        set_up(copy)
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            _interrupt_at(moment, number)
            try:
                write(copy)
            except WriteError:
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            print(moment, flush=True)


if __name__ == "__main__":
    main()
