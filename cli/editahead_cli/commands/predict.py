"""`editahead predict`: predict the next edit of a file, in this process."""

from __future__ import annotations

import argparse
import os
import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from editahead_cli.argument_types import positive_int
from editahead_cli.console import fail, print_output, print_text

if TYPE_CHECKING:
    from editahead_inference.candidates import GateDecision
    from editahead_lsp.session.shown_predictions import Suggestion, SuggestionList
    from editahead_prompts.state import EditorState


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="the file to predict the next edit of")
    parser.add_argument(
        "--line", type=positive_int, required=True, metavar="N", help="the cursor's line, from 1"
    )
    parser.add_argument(
        "--column",
        type=positive_int,
        required=True,
        metavar="N",
        help="the cursor's column in characters, from 1",
    )
    parser.add_argument(
        "--history",
        metavar="DIFF",
        help="a unified diff (a file, or - for stdin) of the last edits of FILE",
    )
    parser.add_argument(
        "--show-prompt",
        action="store_true",
        help="print the prompt for a model, part by part; no model is loaded",
    )
    parser.add_argument(
        "--format",
        metavar="NAME",
        help="with --show-prompt: the prompt format (default: that of the settings)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, as `editahead/nextEdit` answers, or the prompt"
    )


def run(args: argparse.Namespace) -> int:
    import time

    from editahead_cli.errors import DiffMismatchError
    from editahead_inference.pipeline import Pipeline
    from editahead_lsp.presentation import to_lsp
    from editahead_lsp.session.shown_predictions import SuggestionList
    from editahead_workspace import user_dirs
    from editahead_workspace.settings import load_settings

    from . import show_prompt

    if args.format and not args.show_prompt:
        fail("--format needs --show-prompt")
        return 2
    try:
        state = _read_state(args)
    except OSError as error:
        return fail(f"{error.filename}: {error.strerror}")
    except UnicodeDecodeError:
        return fail(f"{args.file} or the diff is not UTF-8 text")
    except DiffMismatchError as error:
        return fail(f"the diff does not fit the file: {error}")
    settings = load_settings(os.environ, None, [Path.cwd()], user_dirs.config_folder()).settings
    if args.show_prompt:
        return show_prompt.run(args, state, settings)
    prediction = Pipeline(clock=time.perf_counter).predict(state, eagerness=settings.eagerness)
    suggestions = tuple(
        _make_suggestion(number, decision, state) for number, decision in enumerate(prediction.shown, 1)
    )
    answer = SuggestionList(suggestions, prediction.silence, state.document, state.cursor)
    if args.json:
        print_output(to_lsp.next_edit(answer, "utf-16"))
    else:
        _print_suggestions(answer, args.file)
    return 0


def _read_state(args: argparse.Namespace) -> EditorState:
    from editahead_cli.history_diff import parse_hunks, reconstruct_versions
    from editahead_evals.data.languages import language_of
    from editahead_lsp.protocol.custom_messages import TextDocumentContentChange
    from editahead_lsp.session.documents import Document
    from editahead_prompts.history.edit_history import EditHistory
    from editahead_prompts.state import EditorState
    from editahead_workspace import uris
    from editahead_workspace.positions import offset_at

    text = args.file.read_bytes().decode("utf-8")
    texts = [text]
    if args.history is not None:
        diff = sys.stdin.read() if args.history == "-" else Path(args.history).read_text("utf-8")
        texts = reconstruct_versions(text, parse_hunks(diff, args.file.name))
    history = EditHistory()
    uri = uris.path_to_uri(args.file.resolve())
    document = Document(uri, language_of(args.file.name) or "plaintext", 0, texts[0], "utf-32")
    for number, after in enumerate(texts[1:], 1):
        change = document.change(number, [TextDocumentContentChange(after)])
        history.record_change(
            change.before, change.after, change.edit, at=float(number), cursor=change.edit.changed_span[0]
        )
    cursor = offset_at(document.snapshot, args.line - 1, args.column - 1, "utf-32")
    return EditorState(document.snapshot, cursor, tuple(history.edits), undone=tuple(history.undone))


def _make_suggestion(number: int, decision: GateDecision, state: EditorState) -> Suggestion:
    from editahead_lsp.session.shown_predictions import Suggestion

    c = decision.candidate
    return Suggestion(
        f"p-{number}", state.document, c.edit, c.target_offset, c.cursor_after, decision.confidence, c
    )


def _print_suggestions(answer: SuggestionList, file: Path) -> None:
    if answer.silence is not None:
        print_text(f"Nothing is predicted: {answer.silence.detail}")
    for suggestion in answer.suggestions:
        line = suggestion.snapshot.line_at(suggestion.place) + 1
        print_text(f"{suggestion.confidence:.2f}  {file}:{line}  {suggestion.candidate.label}")
        after = suggestion.edit.apply(suggestion.snapshot.text).splitlines()
        diff = unified_diff(suggestion.snapshot.text.splitlines(), after, lineterm="", n=1)
        for text in list(diff)[2:]:
            print_text(f"    {text}")
