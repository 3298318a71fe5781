"""lighten_wheel.py WHEEL FOLDER: the wheel without the weights that only numpy can use.

They would make the extension large, and its environment lacks that library. The record of the wheel is made anew (PEP 427).
"""

import csv
import io
import sys
import zipfile
from pathlib import Path

LEFT_OUT = "editahead_retrieval/vectors/encoder.npz"


def lightened(wheel: Path, folder: Path) -> Path:
    """Write the wheel, under its own name, into the folder."""
    out = folder / wheel.name
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as light:
        for entry in whole.infolist():
            if entry.filename.startswith(LEFT_OUT):
                continue
            content = whole.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                rows = csv.reader(io.StringIO(content.decode("utf-8")))
                text = io.StringIO()
                csv.writer(text, lineterminator="\n").writerows(
                    r for r in rows if not r[0].startswith(LEFT_OUT)
                )
                content = text.getvalue().encode("utf-8")
            light.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return out


if __name__ == "__main__":
    lightened(Path(sys.argv[1]), Path(sys.argv[2]))
