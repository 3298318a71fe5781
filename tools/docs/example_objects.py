"""The objects of the examples in `schema_examples.py`.

The user renames a field of a class at its definition, and the next edit is its next use.
"""

from __future__ import annotations

from editahead_cli import arms_output, json_output
from editahead_lab.prompt_costs.costs import Costs, FirstDifference, Omission, Prefill
from editahead_lab.tasks.report import TaskFigures
from editahead_lsp.protocol import (
    apply_messages,
    evidence_messages,
    finish_messages,
    lsp_types,
    status_messages,
)
from editahead_lsp.protocol import custom_messages as wire

URI = "file:///p/stay.py"
HERE = wire.Position(6, 19)
THERE = wire.Range(wire.Position(9, 21), wire.Position(9, 25))
DOCUMENT = wire.VersionedTextDocument(URI, 12)
EDIT = wire.TextEdit(THERE, "leaves")
LABEL = "rename ends -> leaves (2 more)"
ACCEPT = wire.Command("Accept next edit", wire.ACCEPT, ["p-17"])
GHOST = wire.InlineCompletionItem(
    "self.leaves", wire.Range(wire.Position(9, 16), wire.Position(9, 25)), ACCEPT
)
QUIET = wire.SilenceInfo("no-candidate", "Nothing that was just done has to be done elsewhere.")
PREDICTED = wire.PredictedEdit(
    "p-17",
    DOCUMENT,
    [EDIT],
    THERE.start,
    wire.Position(9, 27),
    0.93,
    "propagation",
    LABEL,
    wire.LinePreview("return self.begins <= day < self.ends", "return self.begins <= day < self.leaves"),
)
WORKSPACE_EDIT = lsp_types.WorkspaceEdit([lsp_types.TextDocumentEdit(DOCUMENT, [EDIT])])
ACTION = lsp_types.CodeAction(
    "Accept next edit", wire.ACCEPT_KIND, ACCEPT, data=lsp_types.PredictionActionData("p-17")
)
GO = wire.Command(
    "Go to next edit",
    wire.GO_TO_NEXT_EDIT,
    [{"uri": URI, "position": {"line": HERE.line, "character": HERE.character}}],
)
PASTED = lsp_types.SketchActionData(URI, 12, wire.Range(HERE, HERE))
INLINE = wire.InlineCompletionParams(DOCUMENT, HERE)
SHOWN = wire.DidShowParams(wire.ShownItem(ACCEPT))
ITEM = lsp_types.CompletionItem(
    label=LABEL,
    sort_text=" ",
    filter_text="leaves",
    documentation=lsp_types.MarkupContent(
        "```diff\n@@ line 10 @@\n-        return (self.ends - self.begins).days\n"
        "+        return (self.leaves - self.begins).days\n```"
    ),
    text_edit=wire.TextEdit(wire.Range(wire.Position(6, 13), HERE), "leaves"),
    additional_text_edits=[EDIT],
    command=ACCEPT,
)
FIGURES = json_output.OutcomeFigures(
    shown=412,
    seen=181,
    accepted=97,
    typed=12,
    partial=3,
    rejected=9,
    ignored=303,
    kept30=json_output.SurvivalOutput(81, 78),
    kept300=json_output.SurvivalOutput(80, 74),
    latency=status_messages.LatencyStatus(4.1, 19.0),
)
CHARACTERS = json_output.CharacterFigures(typed=9120, made=2384, kept_share=0.94)
TASK_FIGURES = TaskFigures(1, 1, 0, 0, 0, 4, 4, 0, 4, 8)
PROMPT_COSTS = Costs(
    prompts=2388,
    tokens=2453.0,
    largest=2833,
    prefill={16: Prefill(142.6, 229)},
    shared=0.945,
    differs={"region": FirstDifference(3106, 376699)},
    left_out={"file": Omission(2388, 1606.0)},
    refused=0,
)
WHY = wire.WhyResult(
    wire.WhyState(12, HERE),
    ["p-17"],
    None,
    [
        wire.WhyCandidate("propagation", LABEL, 0.93, "shown"),
        wire.WhyCandidate("completion", "ends", 0.08, "below-threshold"),
    ],
    wire.WhyTimes(0.1, 4.2, 1.3),
)
STATUS = status_messages.StatusResult(
    "0.1.0",
    status_messages.BackendStatus("embedded", "ready", "Predictors that need no model."),
    None,
    3,
    status_messages.CacheStatus(hits=41, misses=9),
    status_messages.SpeculationStatus(),
    status_messages.LatencyStatus(4.0, 18.5),
    status_messages.OutcomeStatus(shown=12, accepted=9, rejected=1),
    index=[status_messages.IndexStatus("/projects/rooms", "building", 1200, 3400, "")],
)

SKETCH = """\
```python
    # ... existing code ...
    def days(self):
        return (self.leaves - self.begins).days
    # ... existing code ...
```
"""
APPLIED = apply_messages.ApplyResult(
    lsp_types.WorkspaceEdit(
        [lsp_types.TextDocumentEdit(DOCUMENT, [lsp_types.AnnotatedTextEdit(THERE, "leaves", "1")])],
        change_annotations={"1": lsp_types.ChangeAnnotation("Changes what the code does, line 10", True)},
    ),
    [apply_messages.AppliedHunk(URI, THERE, "leaves", "semantic", "matched", 1.0)],
    "markers",
    "merge",
    apply_messages.ApplyStats(8.4),
    plan="1",
)
EVIDENCE_PLACE = wire.Range(wire.Position(9, 12), wire.Position(9, 16))
EVIDENCE_SYMBOL = evidence_messages.EvidenceSymbol(
    wire.Range(wire.Position(3, 4), wire.Position(3, 8)), "load", "load_editahead"
)
EVIDENCE = evidence_messages.EvidenceParams(
    wire.VersionedTextDocument(URI, 3),
    EVIDENCE_SYMBOL,
    [evidence_messages.EvidenceRename(URI, EVIDENCE_PLACE, "load_editahead")],
    [evidence_messages.EvidenceReference(URI, EVIDENCE_PLACE)],
    "basedpyright",
    True,
)
FINISHED = finish_messages.FinishResult(
    False,
    "the working tree against HEAD",
    [finish_messages.FinishedRule("4e1f", "rename ends -> leaves", [finish_messages.ShownAt(URI, 4)])],
    [
        finish_messages.LeftPlace(
            URI,
            12,
            wire.Range(wire.Position(9, 0), wire.Position(10, 0)),
            "        return self.begins <= day < self.ends\n",
            "        return self.begins <= day < self.leaves\n",
            "4e1f",
            0.97,
            "code",
            likely=True,
            why="`ends` was renamed to `leaves` in models.py:5.",
        )
    ],
    lsp_types.WorkspaceEdit(
        [lsp_types.TextDocumentEdit(DOCUMENT, [lsp_types.AnnotatedTextEdit(THERE, "leaves", "1")])],
        change_annotations={
            "1": lsp_types.ChangeAnnotation(
                "rename ends -> leaves, line 10 (97%)",
                True,
                "`ends` was renamed to `leaves` in models.py:5.",
            )
        },
    ),
    [],
    finish_messages.Looked(4, 1, 412.0),
    [
        finish_messages.LeftUse(
            "file:///projects/rooms/bills.py",
            None,
            wire.Range(wire.Position(2, 15), wire.Position(2, 19)),
            "    return one.ends - one.begins",
            "ends",
            "leaves",
            "`ends` was renamed to `leaves` in models.py:5.",
        )
    ],
    [],
)
REFUSED = apply_messages.RefusalData(
    "ambiguous",
    "    def days(self):",
    [apply_messages.SimilarRange(wire.Range(wire.Position(8, 0), wire.Position(10, 0)), 0.91)],
    choices=[
        apply_messages.ApplyChoice(
            id,
            title,
            [apply_messages.ChoicePlace(URI, line)],
            f"--- a/stay.py\n+++ b/stay.py\n@@ -{line + 1},2 ...",
            p,
        )
        for id, title, line, p in (
            ("8c1f0b52d7aa", "replace `days()`", 8, 0.7),
            ("03e6d91c44b0", "add after `days()`", 10, 0.2),
        )
    ],
)
ARMS = arms_output.ArmsOutput(
    "~/.local/state/editahead/outcomes.db", {"eagerness": [0.5, 0.8]}, "2026-03-02", "2026-03-27",
    {"a": 12, "b": 11}, {"a": FIGURES, "b": FIGURES}, {"made": arms_output.ArmMeasure(0.214, 0.262, 0.031)}, 0,
)  # fmt: skip  # a table
