"""Generate docs/measurements/plans.md, the reference of the settings of all experiments.

python tools/docs/make_plans.py docs/measurements/plans.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from editahead_lab.commands import eval as evaluations
from editahead_lab.commands import train as trainings
from editahead_lab.commands.run_experiment import summary_of
from editahead_lab.experiments.plan import settings_of

HEAD = """# Plans

<!-- Made by `make docs`: do not edit. -->

An experiment of [`editahead-lab`](evaluation.md#commands) has settings. They are in a plan, a file in TOML, or on the
command line, which goes before the plan:

```sh
editahead-lab eval apply --plan apply.toml seed=8 --json
```

```toml
edits = "EDITS.jsonl.zst"
sketches = 500
seed = 7
```

Paths are relative to the folder of the command; a list on the command line has commas. `editahead-lab eval apply --help`
prints the settings of one experiment. An unknown setting is an error.
"""


def lines() -> Iterator[str]:
    """Yield the lines of the reference."""
    yield HEAD
    for command, experiments in (("eval", evaluations.EXPERIMENTS), ("train", trainings.EXPERIMENTS)):
        for name, kind in experiments.items():
            yield f"## editahead-lab {command} {name}\n"
            yield f"{summary_of(kind)}\n"
            yield "| setting | value | default | |\n| --- | --- | --- | --- |"
            for one in settings_of(kind):
                is_code = one.default not in ("", "required", "one per core")
                default = f"`{one.default}`" if is_code else one.default
                yield f"| `{one.key}` | {_escaped(one.value)} | {default} | {_escaped(one.about)} |"
            yield ""


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(lines()), "utf-8")
