"""The contents of docs/schema and docs/protocol-examples.md: each message, command and output with an example.

`make_schema.py` makes the files from this list.
"""

from __future__ import annotations

from typing import Any

import attrs
from example_objects import (
    ACCEPT,
    ACTION,
    APPLIED,
    ARMS,
    CHARACTERS,
    DOCUMENT,
    EDIT,
    EVIDENCE,
    EVIDENCE_SYMBOL,
    FIGURES,
    FINISHED,
    GHOST,
    GO,
    HERE,
    INLINE,
    ITEM,
    LABEL,
    PASTED,
    PREDICTED,
    PROMPT_COSTS,
    QUIET,
    REFUSED,
    SHOWN,
    SKETCH,
    STATUS,
    TASK_FIGURES,
    THERE,
    URI,
    WHY,
    WORKSPACE_EDIT,
)
from lsprotocol import types
from schema_shapes import Shape
from schema_shapes import make_command as _command
from schema_shapes import make_notification as _notification
from schema_shapes import make_output as _output
from schema_shapes import make_request as _request

from editahead_cli import json_output
from editahead_evals.metrics.bootstrap import Interval
from editahead_evals.metrics.import_metrics import ImportCounts
from editahead_evals.metrics.metrics import Counts, Row
from editahead_evals.report.key_report import KeyReport
from editahead_evals.report.output import Calibration, Measured
from editahead_evals.report.report import Confidence, NextHit, Report
from editahead_evals.scenarios.scoring import ScenarioReport, ScenarioResult
from editahead_lab.apply.report import ApplyReport, ByModel
from editahead_lab.apply.report import Row as SketchRow
from editahead_lab.commits.commit_groups import CommitReport
from editahead_lab.ordered.ordered_report import OrderedReport
from editahead_lab.prompt_costs.comparison import DifferentPrompts, OtherPrompts
from editahead_lab.prompt_costs.report import PromptReport
from editahead_lab.search.search_report import SearchReport
from editahead_lab.tasks.report import PlayedTask, TaskOutcome, TaskReport
from editahead_lsp.protocol import (
    accept_all_messages,
    apply_messages,
    copilot_messages,
    evidence_messages,
    finish_messages,
    lsp_types,
    search_messages,
    status_messages,
)
from editahead_lsp.protocol import custom_messages as wire

ROW = Row(Counts(opportunities=400, shown=52, correct=38), {"precision": Interval(0.73, 0.6, 0.84)})
SHARE, ERROR = Interval(0.975, 0.95, 0.99), Calibration(0.08, 0.05, 0.12, 0.05)


def _report(command: str, what: str, kind: type[Measured], **fields: Any) -> Shape:
    """Return the shape of a report of the evaluation, of which all name what was measured."""
    where = {
        "commit": "135ec4f",
        "machine": "Linux x86_64, Python 3.12.1",
        "data": "edits.jsonl.zst",
        "seed": 7,
    }
    return _output(
        command, what, kind(**{"measure": "next edit on real commits", "note": "...", **where, **fields})
    )


SHAPES = [
    _request(
        wire.NEXT_EDIT,
        "All next edits, with other documents, places to go to and the reason for silence.",
        wire.NextEditParams(
            DOCUMENT,
            HERE,
            wire.NextEditContext(
                "typed", [wire.ClientDiagnostic(THERE, '"ends" is not defined', "reportUndefinedVariable", "Pyright")]
            ),
        ),
        wire.NextEditResult([PREDICTED], None),
    ),
    _request(
        wire.INLINE_EDIT,
        "The best next edit, for sidekick.nvim, copilot-lsp and copilot.el.",
        INLINE,
        wire.InlineEditResult([wire.InlineEdit("leaves", THERE, DOCUMENT, ACCEPT)]),
    ),
    _request(
        types.TEXT_DOCUMENT_INLINE_COMPLETION,
        "Ghost text on the cursor's line.",
        wire.InlineCompletionParams(wire.VersionedTextDocument(URI), wire.Position(9, 25)),
        wire.InlineCompletionList([GHOST]),
    ),
    _request(
        types.TEXT_DOCUMENT_CODE_ACTION,
        "Actions that accept the next edit, go there, or apply a sketch; the example is for a client that resolves edits.",
        lsp_types.CodeActionParams(wire.VersionedTextDocument(URI), wire.Range(HERE, HERE)),
        [
            ACTION,
            lsp_types.CodeAction("Go to next edit", wire.GOTO_KIND, GO),
            lsp_types.CodeAction("Apply sketch in comment", wire.APPLY_KIND, data=PASTED),
        ],
        list[lsp_types.CodeAction],
    ),
    _request(
        types.CODE_ACTION_RESOLVE,
        "The action with its edit.",
        ACTION,
        attrs.evolve(ACTION, edit=WORKSPACE_EDIT),
    ),
    _request(
        types.TEXT_DOCUMENT_COMPLETION,
        "A menu item that makes the next edit.",
        lsp_types.CompletionParams(wire.VersionedTextDocument(URI), HERE),
        lsp_types.CompletionList(items=[ITEM]),
    ),
    _request(
        types.TEXT_DOCUMENT_INLAY_HINT,
        "A hint at the place of the next edit, where `hints` is `inlay`.",
        lsp_types.InlayHintParams(wire.VersionedTextDocument(URI), wire.Range(wire.Position(), wire.Position(16, 0))),
        [lsp_types.InlayHint(THERE.start, LABEL, "The next edit", [EDIT])],
        list[lsp_types.InlayHint],
    ),
    _notification(
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
        "A hint from the server at the place of the next edit.",
        lsp_types.PublishDiagnosticsParams(URI, 12, [lsp_types.Diagnostic(THERE, f"Next edit: {LABEL}")]),
        "sent",
    ),
    _notification(wire.OUTCOME, "The outcome of a prediction.", wire.OutcomeParams("p-17", "accepted", shown_ms=900)),
    _notification(wire.DID_SHOW_INLINE_EDIT, "An inline edit was shown.", SHOWN),
    _notification(wire.DID_SHOW_COMPLETION, "Ghost text was shown.", SHOWN),
    _notification(
        wire.DID_PARTIALLY_ACCEPT_COMPLETION,
        "A part of ghost text was accepted; the length is in UTF-16 units from its start.",
        attrs.evolve(SHOWN, accepted_length=4),
    ),
    _notification(
        copilot_messages.REPORT_CACHED_INLINE_EDIT,
        "The end of an edit that the client held and drew again by itself.",
        copilot_messages.ReportCachedInlineEditParams("p-17", is_shown=True, acceptance="accepted"),
    ),
    _request(
        copilot_messages.CHECK_STATUS,
        "Whether the account of Copilot's client is signed in: there is none.",
        copilot_messages.AccountParams(),
        copilot_messages.AccountStatus(),
    ),
    _request(
        copilot_messages.SIGN_IN,
        "The sign-in of Copilot's client, to which there is nothing to do.",
        copilot_messages.AccountParams(),
        copilot_messages.AccountStatus("AlreadySignedIn"),
    ),
    _notification(
        wire.DID_FOCUS, "The document that has the focus now.", wire.DidFocusParams(wire.VersionedTextDocument(URI))
    ),
    _notification(
        evidence_messages.DID_COPY,
        "Lines that the user has copied.",
        evidence_messages.DidCopyParams(
            wire.VersionedTextDocument(URI, 12), wire.Range(wire.Position(3, 0), wire.Position(6, 0))
        ),
    ),
    _notification(
        wire.DID_OPEN_SEARCH_RESULT,
        "A person went to a place that `editahead.search` has answered.",
        wire.DidOpenSearchResultParams("where are retries configured", URI, 12),
    ),
    _notification(
        wire.SESSION_TIME,
        "The time in a session that the client replays; a client that never sends this gets the machine's time.",
        wire.SessionTimeParams(12.5),
    ),
    _notification(
        evidence_messages.EVIDENCE,
        "What another language server of the client says of a symbol.",
        EVIDENCE,
    ),
    _notification(
        evidence_messages.ASK_EVIDENCE,
        "A symbol that the person may rename next, or whose signature they may change.",
        evidence_messages.AskEvidenceParams(wire.VersionedTextDocument(URI, 3), EVIDENCE_SYMBOL),
        "sent",
    ),
    _notification(
        wire.PLACES_LEFT,
        "How many places the change of the working tree still lacks.",
        finish_messages.PlacesLeftParams("file:///p", 3, "3 places left"),
        "sent",
    ),
    _notification(
        wire.NEXT_EDIT_REFRESH,
        "A request for the next edit would now have a better answer than the last one had.",
        wire.NextEditRefreshParams(wire.VersionedTextDocument(URI, 12)),
        "sent",
    ),
    _command(wire.ACCEPT, "Record an accept.", ["p-17"], None, needed=True),
    _command(
        wire.ACCEPT_ALL,
        "All places that are left of the rule of a prediction, as one edit.",
        [accept_all_messages.AcceptAllArgument("p-17", dry_run=True)],
        accept_all_messages.AcceptAllResult(
            "rename ends -> leaves", "1 edit in 1 file", 1, 1,
            lsp_types.WorkspaceEdit([lsp_types.TextDocumentEdit(wire.VersionedTextDocument(URI, 12), [EDIT])]),
            "--- a/stay.py\n+++ b/stay.py\n@@ -10,1 +10,1 @@\n"
            "-        return self.begins <= day < self.ends\n+        return self.begins <= day < self.leaves\n",
        ),
    ),
    _command(wire.REJECT, "Record a rejection.", ["p-17"], None, needed=True),
    _command(wire.RESTORE, "Bring back the edit that was rejected last.", [], wire.RestoreResult(True)),
    _command(
        wire.GO_TO_NEXT_EDIT,
        "Go to the next edit, then make it.",
        [wire.GoToNextEditArgument(URI, HERE)],
        wire.GoToNextEditResult("jumped"),
    ),
    Shape(
        f"command.{wire.APPLY}",
        wire.APPLY,
        "Turn a sketch of a change into an edit; the error of a refusal (-32803) carries `refusal` as its data.",
        {
            "arguments": (tuple[apply_messages.ApplyArgument, True], "read"),
            "result": (apply_messages.ApplyResult, "sent"),
            "refusal": (apply_messages.RefusalData, "sent"),
            "partial": (apply_messages.PartialHunks, "sent"),
        },
        {
            "arguments": [apply_messages.ApplyArgument(SKETCH, URI, dry_run=True)],
            "result": APPLIED,
            "refusal": REFUSED,
            "partial": apply_messages.PartialHunks(APPLIED.hunks),
        },
    ),
    _command(
        wire.APPLY_PROBLEMS,
        "The new problems that a planned edit would bring, as linters find them.",
        [apply_messages.PlanArgument("1")],
        apply_messages.PlanProblems(
            [apply_messages.Problem(URI, wire.Range(THERE.start, THERE.start), "F821: Undefined name `leaves`", "ruff")]
        ),
        needed=True,
    ),
    _command(
        wire.FINISH,
        "What the change of the working tree still lacks, with unsaved documents.",
        [finish_messages.FinishArgument(URI)],
        FINISHED,
    ),
    _command(
        wire.COMMIT_MESSAGE,
        "A commit message of what the change did throughout.",
        [finish_messages.CommitMessageArgument(URI)],
        finish_messages.CommitMessageResult(
            "Rename ends to leaves in 2 files\n\n- Rename ends to leaves in 2 files\n- Add guests.py",
            "Rename ends to leaves in 2 files", ["- Rename ends to leaves in 2 files", "- Add guests.py"],
            "the working tree against HEAD",
        ),
    ),
    _command(
        wire.SEARCH,
        "The places in the workspace that answer a question.",
        [search_messages.SearchArgument("where are nights counted")],
        search_messages.SearchResult(
            [
                search_messages.SearchPlace(
                    URI, "stay.py", wire.Range(wire.Position(5, 0), wire.Position(7, 0)),
                    [search_messages.MatchingLine(5, "    def nights(self):")], 0.93,
                    ["defines nights in Stay", "mentions nights"],
                )
            ],
            "",
        ),
        needed=True,
    ),
    _command(
        wire.REPORT,
        "A scenario file of what should have been predicted, or was wrong.",
        ["missed"],
        status_messages.ReportResult("~/.local/state/editahead/scenarios/2026-03-02-101500-missed.txt"),
    ),
    _command(wire.WHY, "The candidates of the last prediction and their verdicts.", [URI], WHY),
    _command(wire.STATUS, "The state of the server; latency in milliseconds.", [], STATUS),
    _command(wire.RESET_LEARNING, "Forget accepts and rejections.", [], None),
    _output("editahead --version --json", "The version.", json_output.VersionOutput("0.1.0")),
    _output(
        "editahead predict --json",
        "The answer of `editahead/nextEdit`; positions in UTF-16.",
        wire.NextEditResult([], QUIET),
    ),
    _output(
        "editahead predict --show-prompt --json",
        "The prompt for a model, by part.",
        json_output.PromptOutput(
            "editahead", "editahead", False, None, "<|file|>stay.py\n<|next|>\n",
            [json_output.PromptPart("path", 0, 16, 5), json_output.PromptPart("answer", 16, 25, 2)],
            [json_output.OmittedPartOutput("file/lines 1-8", 92, "its group's budget")], 7, 3000, 512, ["<|/region|>"],
        ),
    ),
    _output(
        "editahead apply --json",
        "The edit, or the reason for a refusal; positions in UTF-16.",
        json_output.ApplyOutput(
            APPLIED.edit, APPLIED.hunks, "markers", "merge", APPLIED.stats, None, [URI]
        ),
    ),
    _output(
        "editahead config --json",
        "The settings and the source of each.",
        json_output.ConfigOutput(
            {"eagerness": json_output.SettingOutput(0.3, "~/.config/editahead/editahead.toml")}, [], "/etc/editahead.toml"
        ),
    ),
    _output(
        "editahead train mine --json",
        "What a fit to one's own recordings found; losses in nats.",
        json_output.OwnTrainingOutput(12, 340, 95, 300, 120, 0.512, 0.497, 31, 27, 19, 19, {"kind:rename": 0.31}, True),
    ),
    _output(
        "editahead stats --json",
        "Outcomes of predictions, from the outcome log; latency in milliseconds.",
        json_output.StatsOutput(
            "~/.local/state/editahead/outcomes.db", FIGURES, {"python": FIGURES}, {"renames": FIGURES},
            {"2026-03-02": FIGURES}, {"2026-03-02": FIGURES},
            json_output.CharactersOutput(CHARACTERS, {"python": CHARACTERS}, {"2026-03-02": CHARACTERS}),
            json_output.LearningFigures(181, 0.71, {"always": -0.12, "kind:rename": 0.24, "language:python": 0.08}),
        ),
    ),
    _output("editahead stats --compare --json", "The days of two arms, and how often chance parts them so far.", ARMS),
    _output(
        "editahead doctor --json",
        "The checks of this installation.",
        json_output.DoctorOutput(True, [json_output.Check("settings", True, "all valid")]),
    ),
    _output(
        "editahead index --json",
        "The index of a workspace folder, after `build` or `clear` as it is then.",
        json_output.IndexOutput(
            "/projects/rooms", 3400, 19_022, 54_101, 13_524_992, 0, "ready", "2026-11-24T17:05:42+00:00"
        ),
    ),
    _output(
        "editahead search --json",
        "The places that answer a search, the best first; lines count from 1.",
        [
            json_output.SearchPlaceOutput(
                "rooms/bills.py", 28, 31, 0.94, "def total(stay: Stay) -> int:\n    nights = stay.ends - stay.begins\n",
                ["defines total", "mentions total, nights"],
            )
        ],
        list[json_output.SearchPlaceOutput],
    ),
    _output(
        "editahead finish --json",
        "What a change lacks; lines count from 1.",
        json_output.FinishOutput(
            False,
            [json_output.FinishRuleOutput("r1", "rename ends -> end", [json_output.LineAt("rooms/models.py", 12)])],
            [json_output.MissingPlaceOutput("rooms/bills.py", 31, 31, "    return stay.ends\n", "    return stay.end\n",
                                            "r1", 0.97, "code")],
            json_output.LookedOutput(3400, 1, 412.5),
            [json_output.LeftUseOutput("rooms/views.py", 8, 17, "    return one.ends - one.begins", "ends", "end",
                                       "`ends` was renamed to `end` in models.py:12.")],
            [],
        ),
    ),
    _output(
        "editahead rules --json",
        "The rules that were mined from a repository's history.",
        json_output.RulesOutput(
            "/state/editahead/rules/5f1c.toml",
            [json_output.RuleOutput("93ab01c2d4", "co-change",
                                    "a new file in shop/commands/{snake}.py -> `\"{snake}\",` in shop/main.py",
                                    5, 0.83, ["1a2b3c4d5e6f"], False)],
        ),
    ),
    _output(
        "editahead models --json",
        "This machine's hardware, and the models that fit it.",
        json_output.ModelsOutput(
            json_output.MachineOutput(16, 137_438_953_472, 120_259_084_288,
                                      [json_output.GpuOutput("NVIDIA H200", 150_754_820_096)],
                                  11_200_000_000),
            [json_output.ModelOutput("zeta-2.1", "zed-industries/zeta-2.1", "next edits", "vLLM", "zeta-2.1", "Apache-2.0",
                                 16_600_000_000, 131_072, 32_768, "gpu", None,
                                 "On the GPU, with room for 892,133 tokens of context.", None)],
        ),
    ),
    _output(
        "editahead demo --json",
        "The events of the demo and their outcomes.",
        json_output.DemoOutput([{"event": "scene", "title": "A rename"}], {"accepted": 14, "typed": 9}),
    ),
    _report(
        "editahead eval --json",
        "Figures of next edits on real commits, and what they were measured on.",
        Report,
        predictors={"editahead": ROW}, typing={}, languages={"go": ROW}, kinds={}, distances={},
        confidence=Confidence({0.1: SHARE}, ERROR, SHARE, SHARE, [], [], []),
        imports=ImportCounts(), latency_ms={"answer": {"p50": 4.1, "p99": 19.5}}, next_hit=NextHit(0.9, 0.8, 0.95, 20),
        silences={"no-candidate": 31}, files=[],
    ),
    _report(
        "editahead eval --keys --json",
        "Figures of sessions replayed key by key (`--keys`, and `typing` of the laboratory), by face.",
        KeyReport,
        measure="Recorded sessions, key by key",
        faces={"inlineCompletion": ROW}, groups={"inlineCompletion": {"rename": ROW}},
        calibration_error={"inlineCompletion": ERROR}, latency_ms={"inlineCompletion": {"p50": 4.1}}, sessions=[],
    ),
    _report(
        "editahead-lab eval ordered --json",
        "Figures of pull requests replayed edit by edit.",
        OrderedReport,
        measure="ordered edits of pull requests",
        groups={"one file": ROW}, calibration_error=ERROR, imports=ImportCounts(), latency_ms={"p50": 4.1}, requests=[],
    ),
    _report(
        "editahead-lab eval workspace --json",
        "Figures of edits in files that are not open.",
        CommitReport,
        measure="edits in closed files", groups={"editahead": ROW}, latency_ms={"p50": 4.1}, commits=[],
    ),
    _report(
        "editahead-lab eval finish --json",
        "Figures of what `editahead finish` finds.",
        CommitReport,
        measure="what finish finds", groups={"finish": ROW}, latency_ms={"p50": 4.1}, commits=[],
    ),
    _report(
        "editahead-lab eval search --json",
        "Figures of what search finds of what answers a question.",
        SearchReport,
        measure="search", groups={"BM25": ROW}, gains={"subject": SHARE}, by_vectors={}, latency_ms={"p50": 4.1},
        questions=[],
    ),
    _output(
        "editahead-lab eval prompts --json",
        "The costs of the prompts of stored states.",
        PromptReport(
            "prompts of stored states", "...", "135ec4f", "states.jsonl.zst", "editahead", None, PROMPT_COSTS,
            OtherPrompts(
                "zeta-2", PROMPT_COSTS, 2400, 0, [DifferentPrompts(31, "shop@1a2b3c4d5e6f:stay.py", 212, ())]
            ),
        ),
    ),
    _output(
        "editahead eval --scenarios --json",
        "The scores of scenarios.",
        ScenarioReport(
            "next edit on scenarios", "135ec4f", "tests/scenarios", 0.75, 0.8, 0.9, 0.98, 1,
            [ScenarioResult("await-added", None, True, 1.0)],
        ),
    ),
    _output(
        "editahead-lab eval tasks --json",
        "The verdicts on editing tasks.",
        TaskReport(
            "editing tasks", "135ec4f", "tests/tasks", TASK_FIGURES, TASK_FIGURES,
            {"rename": TASK_FIGURES}, {"python": TASK_FIGURES},
            [PlayedTask("rename-local", "rename", "python", 4,
                        TaskOutcome("done", 4, 0, True, 4), TaskOutcome("partial", 3, 0, True, 3))],
        ),
    ),
    _report(
        "editahead-lab eval apply --json",
        "The results of sketches; latency in milliseconds.",
        ApplyReport,
        measure="apply on sketches of real commits, without a model", generator=1,
        styles={"declaration": SketchRow(200, SHARE, 198, 5, 2, 0)},
        variants={}, damages={}, damages_by_style={}, ambiguous={}, offered=195, wrong=0, max_wrong_share=0.0193,
        latency_ms={"p50": 12.5}, refusals={"ambiguous": 5}, by_model=ByModel(5, 2, 0, 4.5, 180.5, 420.0, 3, 2, 3),
    ),
]  # fmt: skip  # a table
