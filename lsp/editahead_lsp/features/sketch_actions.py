"""Code actions for a sketch that stands in the document: selected, or fenced in a comment.

Where the client cannot ask for a confirmation of each hunk, each is offered as an action of its own, too.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcContentModified

from editahead_inference.apply.plan import Refused
from editahead_inference.modelling.predictor import ModelPredictor
from editahead_lsp.applying import terms
from editahead_lsp.applying.asking import Check
from editahead_lsp.applying.extract import Extract, in_comment, selected
from editahead_lsp.applying.terms import Placed
from editahead_lsp.positions import offset_at
from editahead_lsp.protocol import APPLY_KIND, Range
from editahead_lsp.standard import CodeAction, CodeActionParams, Disabled, SketchData
from editahead_prompts.snapshot import Snapshot
from editahead_prompts.syntax import SyntaxTrees

from .applying import expect, model_for, refusal

if TYPE_CHECKING:
    from editahead_lsp.server import Server

IN_SELECTION, IN_COMMENT = "Apply sketch in selection", "Apply sketch in comment"
_FENCES = ("```", "~~~")
_MOST_HUNKS = 9


class SketchActions:
    def __init__(self, server: Server) -> None:
        self._server = server
        self._trees = SyntaxTrees()
        """For the thread that applies."""

    def begin(self, params: CodeActionParams) -> Coroutine[Any, Any, list[CodeAction]] | None:
        """The actions; None when it is plain without a look that there are none."""
        document = self._server.session.documents.get(params.text_document.uri)
        if document is None:
            return None
        start, end = self._offsets(document.snapshot, params.range)
        if start == end and not any(fence in document.snapshot.text for fence in _FENCES):
            return None
        data = SketchData(document.uri, document.snapshot.version, params.range, comment=start == end)
        return self._actions(document.snapshot, data)

    def resolve(self, params: dict[str, Any]) -> Coroutine[Any, Any, dict[str, Any]]:
        """The action as it came, with its edit."""
        data: SketchData = self._server.protocol.read(params["data"], SketchData)
        document = self._server.session.documents.get(data.uri)
        if document is None or document.snapshot.version != data.version:
            raise JsonRpcContentModified("The document was changed meanwhile.")
        return self._resolved(params, document.snapshot, data)

    async def _resolved(self, params: dict[str, Any], snapshot: Snapshot, data: SketchData) -> dict[str, Any]:
        extract = await self._extract(snapshot, data)
        if extract is None:
            raise JsonRpcContentModified("There is no sketch there any more.")
        server = self._server
        try:
            placed = await self._placed(extract, model_for(server))
            edit = terms.workspace_edit(placed, server.client, server.session.encoding)
        except Refused as refused:
            raise refusal(server, refused) from None
        expect(server, placed)
        return {**params, "edit": server.protocol.write(edit)}

    async def _actions(self, snapshot: Snapshot, data: SketchData) -> list[CodeAction]:
        extract = await self._extract(snapshot, data)
        if extract is None:
            return []
        client = self._server.client
        title = IN_COMMENT if data.comment else IN_SELECTION
        later = CodeAction(title, APPLY_KIND, data=data)
        if client.resolves_actions and client.annotates_edits:
            return [later]
        try:
            placed = await self._placed(extract)
            edit = terms.workspace_edit(placed, client, self._server.session.encoding)
        except Refused as refused:
            if client.resolves_actions:
                return [later]  # which will tell why not
            disabled = Disabled(refused.refusal.detail)
            return [CodeAction(title, APPLY_KIND, disabled=disabled)] if client.disables_actions else []
        each = [] if client.annotates_edits else self._each(placed, extract)
        if client.resolves_actions:
            return [later, *each]
        expect(self._server, placed)
        return [CodeAction(title, APPLY_KIND, edit=edit), *each]

    def _each(self, placed: list[Placed], extract: Extract) -> list[CodeAction]:
        """An action for each hunk, with the sketch left where it is: the rest can be applied afterwards."""
        server = self._server
        alone = []
        for file in placed:
            for hunk in file.hunks:
                removal = not extract.stays and hunk.replacement == extract.taken_out.replacements[0]
                if file.change.action == "edit" and not removal:
                    alone.append((replace(file, hunks=(hunk,)), hunk))
        if len(alone) < 2:
            return []
        out = []
        for number, (file, hunk) in enumerate(alone[:_MOST_HUNKS], 1):
            said = " ".join(flag.sentence for flag in hunk.flags)
            what = f"{terms.title(hunk, file.snapshot)}{'. ' if said else ''}{said}"
            edit = terms.workspace_edit([file], server.client, server.session.encoding)
            expect(server, [file])
            out.append(CodeAction(f"Apply hunk {number} of {len(alone)}: {what}", APPLY_KIND, edit=edit))
        return out

    async def _extract(self, snapshot: Snapshot, data: SketchData) -> Extract | None:
        start, end = self._offsets(snapshot, data.sketch)

        def look(check: Check) -> Extract | None:
            found = (
                in_comment(snapshot, snapshot.line_at(start), self._trees)
                if data.comment
                else selected(snapshot, start, end)
            )
            return found if found is not None and found.sketch() is not None else None

        return await self._server.applying.off_the_loop(look)

    async def _placed(self, extract: Extract, model: ModelPredictor | None = None) -> list[Placed]:
        """model: only once the action is taken; editors ask for the actions all the time."""
        applying = self._server.applying
        job = applying.begin_in(extract, model)
        planned = await applying.plan(job)
        return applying.place(job, planned.changes)

    def _offsets(self, snapshot: Snapshot, selection: Range) -> tuple[int, int]:
        encoding = self._server.session.encoding
        start, end = (
            offset_at(snapshot, p.line, p.character, encoding) for p in (selection.start, selection.end)
        )
        return min(start, end), max(start, end)
