"""Shown imports are counted by three definitions; edits that do more than import are none."""

from __future__ import annotations

import pytest

from editahead_evals.metrics.import_metrics import ImportCounts

NOW = "import os\n\n\ndef f(a):\n    return json.dumps(a)\n"
SHOWN = "import json\nimport os\n\n\ndef f(a):\n    return json.dumps(a)\n"


@pytest.mark.parametrize(
    ("after", "final", "counted"),
    [
        (SHOWN, SHOWN, (1, 1, 1)),
        (SHOWN, SHOWN.replace("import os", "import os\nimport re"), (1, 1, 1)),
        (SHOWN, SHOWN.replace("import json", "import json, re"), (1, 0, 1)),
        (SHOWN, NOW.replace("json", "os"), (1, 0, 0)),
        (SHOWN.replace("dumps", "dump"), SHOWN, (0, 0, 0)),
        (NOW.replace("import os\n", ""), SHOWN, (0, 0, 0)),
        (NOW.replace("dumps", "dump"), SHOWN, (0, 0, 0)),
    ],
)
def test_imports_are_counted(after: str, final: str, counted: tuple[int, int, int]) -> None:
    counts = ImportCounts()
    counts.add(NOW, after, final, correct=False)
    assert (counts.shown, counts.lines, counts.names) == counted
    assert counts.whole == 0


def test_a_name_in_a_list_of_several_lines() -> None:
    counts = ImportCounts()
    before = 'import (\n\t"os"\n)\n\nvar a = f()\n'
    after = before.replace("\t", '\t"fmt"\n\t')
    counts.add(before, after, after.replace("f()", "g()"), correct=True)
    assert counts == ImportCounts(shown=1, whole=1, lines=1, names=1)
