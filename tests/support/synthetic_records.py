"""Synthetic edit records: changes of functions with comments."""

from __future__ import annotations

import random
import re

from editahead_evals.data.edit_records import Record

NOUNS = (
    "room",
    "guest",
    "bill",
    "price",
    "night",
    "key",
    "door",
    "floor",
    "lamp",
    "table",
    "chair",
    "window",
    "attic",
)

_FUNCTIONS = {
    "python": (
        "py",
        "def {n}_total({n}s, rate=1):\n    # the {n}s that we count, and what they cost\n"
        "    found = [x for x in {n}s if x.open]\n    total = 0\n    for x in found:\n        total += x.{n}_cost * rate\n\n"
        "    log('{n}', total)\n    return total\n",
        "import {m}\nfrom {n}s import log\n",
    ),
    "typescript": (
        "ts",
        "export function {n}Total({n}s: Item[], rate = 1): number {{\n  // the {n}s that we count, and what they cost\n"
        "  const found = {n}s.filter((x) => x.open);\n  let total = 0;\n  for (const x of found) {{\n"
        "    total += x.{n}Cost * rate;\n  }}\n\n  log('{n}', total);\n  return total;\n}}\n",
        "import {{ log }} from './{m}';\nimport {{ Item }} from './{n}s';\n",
    ),
    "go": (
        "go",
        "func {n}Total({n}s []Item, rate int) int {{\n\t// the {n}s that we count, and what they cost\n\ttotal := 0\n"
        '\tfor _, x := range {n}s {{\n\t\ttotal += x.{n}Cost * rate\n\t}}\n\n\tlog("{n}", total)\n\treturn total\n}}\n',
        "package {m}\n",
    ),
}
_CHANGES = (("return total", "return round(total)"), ("rate", "factor"), ("'", '"'), ("open", "is_open"))


def made_records(count: int, seed: int = 0) -> list[Record]:
    """Return the records of two files of each commit; every file has five functions, of which one to three change."""
    rng = random.Random(seed)
    out = []
    for number in range(count):
        language = rng.choice(sorted(_FUNCTIONS))
        extension, function, preamble = _FUNCTIONS[language]
        nouns = rng.sample(NOUNS, 7)
        old = [function.format(n=noun) for noun in nouns[:5]]
        new = list(old)
        for at in rng.sample(range(5), rng.randint(1, 3)):
            before, after = rng.choice(_CHANGES)
            new[at] = new[at].replace(before, after)
            if rng.random() < 0.3:
                new[at] = re.sub(r"(.*)\blog\((.*)", r"\g<0>\n\1log(total, \2", new[at])
        head = preamble.format(n=nouns[5], m=nouns[6])
        gap = "\n\n" if language == "python" else "\n"
        before, after = (head + gap + gap.join(each) for each in (old, new))
        if before == after:
            continue
        commit = f"{number // 2:040x}"
        path = f"src/{nouns[5]}_{number}.{extension}"
        out.append(
            Record(
                f"own/made@{commit[-12:]}:{path}", "own/made", commit, "Change", path, language, before, after
            )
        )
    return out
