"""`editahead rules`: mine the rules of a repository from its history, list them, and switch them off and on."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.console import fail, print_json, print_note, print_output, print_text

if TYPE_CHECKING:
    from editahead_cli.json_output import RuleOutput
    from editahead_inference.mined_rules.commits import MinedCommit
    from editahead_inference.mined_rules.measure import MinedFigures
    from editahead_inference.mined_rules.rules import MinedRule

_DEFAULT_COMMITS = 1_000
_NO_RULES = {
    "list": "There are no rules. `editahead rules mine` looks for some in the history.",
    "mine": "The history shows no rules: no habit was found in enough of its commits.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        choices=["mine", "list", "off", "on", "measure"],
        help="mine the history; list the rules, the default; switch some off or on; or mine the older two thirds of "
        "the commits, and measure on the newer third",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="the rules to switch off or on")
    parser.add_argument(
        "--path", type=Path, default=Path(), help="a folder of the repository; here by default"
    )
    parser.add_argument(
        "--commits",
        type=int,
        default=_DEFAULT_COMMITS,
        metavar="N",
        help=f"how many commits are read, the newest; {_DEFAULT_COMMITS} by default",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    from editahead_workspace import user_dirs
    from editahead_workspace.changes.read_change import ChangeRequest, find_source
    from editahead_workspace.errors import ChangeError
    from editahead_workspace.mined_rules.mined_history import mine_repository
    from editahead_workspace.mined_rules.rules_file import load_rules, rules_path

    if (args.action in ("off", "on")) != bool(args.ids):
        wrong = "needs the id of a rule" if not args.ids else "takes no ids"
        print_note(f"editahead: rules {args.action} {wrong}")
        return 2
    if args.commits < 1:
        print_note("editahead: --commits must be 1 or more")
        return 2
    here = Path(os.path.normpath(Path.cwd() / args.path))
    state = user_dirs.state_folder()
    try:
        root = find_source(here, ChangeRequest(), here).root
        if args.action == "measure":
            return _measure(_read(root, args), as_json=args.json)
        if args.action == "mine":
            rules = mine_repository(root, state, _read(root, args))
        else:
            rules = load_rules(rules_path(root, state))
        if args.ids:
            unknown = set(args.ids) - {rule.id for rule in rules}
            if unknown:
                return fail(f"there is no rule {min(unknown)}; `editahead rules list` lists them")
            rules = _switch(root, state, rules, args.ids, is_off=args.action == "off")
    except ChangeError as error:
        return fail(str(error))
    path = rules_path(root, state)
    if args.json:
        from editahead_cli import json_output

        print_output(json_output.RulesOutput(str(path), [_output(rule) for rule in rules]))
    else:
        print_text(_describe(rules, path) if rules else _NO_RULES[args.action])
    return 0


def _read(root: Path, args: argparse.Namespace) -> list[MinedCommit]:
    from editahead_cli.delayed_progress import DelayedProgress
    from editahead_workspace.finish.change_finish import settings_of
    from editahead_workspace.mined_rules.mined_history import read_commits

    with DelayedProgress(is_quiet=args.json) as progress:
        return read_commits(
            root,
            settings_of(root).exclude,
            args.commits,
            on_progress=lambda done, total: progress.show("reading commits", done, total),
        )


def _switch(
    root: Path, state: Path, rules: Sequence[MinedRule], ids: Sequence[str], *, is_off: bool
) -> list[MinedRule]:
    from editahead_workspace.mined_rules.rules_file import rules_path, save_rules

    changed = [replace(rule, is_off=is_off) if rule.id in ids else rule for rule in rules]
    save_rules(rules_path(root, state), root, changed)
    return changed


def _measure(commits: Sequence[MinedCommit], *, as_json: bool) -> int:
    from dataclasses import asdict

    from editahead_inference.mined_rules.measure import measure

    figures = measure(commits)
    if as_json:
        print_json(asdict(figures))
    else:
        print_text(_figures(figures))
    return 0


def _figures(figures: MinedFigures) -> str:
    return (
        f"{figures.rules} rules of {figures.mined} commits, measured on the {figures.measured} later ones.\n"
        f"Co-changes: {figures.expected} lines expected, {figures.right} of them added, in {figures.covered} commits; "
        f"by rules that make a place likely: {figures.likely_expected} expected, {figures.likely_right} added.\n"
        f"Rewrites: {figures.repeated} commits made a mined one, and {figures.written_again} lines wrote an old side."
    )


def _output(rule: MinedRule) -> RuleOutput:
    from editahead_cli import json_output
    from editahead_inference.mined_rules.co_changes import CoChange
    from editahead_inference.mined_rules.rules import MAX_EXAMPLES, describe

    what = rule.what
    return json_output.RuleOutput(
        rule.id,
        "co-change" if isinstance(what, CoChange) else "rewrite",
        describe(what),
        what.support,
        round(what.confidence, 4),
        [one[:12] for one in what.examples[:MAX_EXAMPLES]],
        rule.is_off,
    )


def _describe(rules: Sequence[MinedRule], path: Path) -> str:
    from editahead_inference.mined_rules.rules import describe

    lines = []
    for rule in rules:
        what = rule.what
        state = "off " if rule.is_off else ""
        examples = ", ".join(one[:9] for one in what.examples[:3])
        lines.append(f"{rule.id}  {state}{describe(what)}")
        lines.append(f"            {what.confidence:.0%}, in {what.support} commits: {examples}")
    count = "1 rule" if len(rules) == 1 else f"{len(rules)} rules"
    return "\n".join([*lines, "", f"{count}; to read and edit: {path}"])
