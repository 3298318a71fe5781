"""The MCP server on stdio: the tools with their schemas, progress and cancellation, by the official SDK."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from editahead_cli.console import print_note
from editahead_cli.errors import ToolRefusedError
from editahead_inference.errors import Cancelled
from editahead_lsp import __version__

from .bounded_lines import BoundedStdin
from .workspace_tools import MAX_RESULTS, WorkspaceTools

PROGRESS_S = 0.2
"""Seconds between two messages about progress."""
DEADLINES_S = {"finish_change": 600.0, "search_code": 600.0, "apply_sketch": 150.0}
"""Seconds of one call of each tool, which the next call waits for. A first finish or search makes the index, and a model may
write for two minutes."""
_INSTRUCTIONS = (
    "After you changed code in several places, call finish_change: it tells the places in the whole repository that your "
    "change still lacks, by the rewrites that the change itself shows. Use apply_sketch to turn a loose edit into an "
    "exact one; it writes only with write=true."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)


class ToolServer:
    """The server of one workspace folder. One tool works at a time.

    Args:
        root: The workspace folder.
        clock: Monotonic seconds.
    """

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._tools = WorkspaceTools(root)
        self._clock = clock
        self._lock = anyio.Lock()
        self.server = MCPServer(
            "editahead", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
        )
        for tool, hints in (
            (self.finish_change, _READS),
            (self.search_code, _READS),
            (self.apply_sketch, _WRITES),
        ):
            self.server.add_tool(tool, annotations=hints)

    async def finish_change(
        self,
        ctx: Context,
        staged: Annotated[
            bool, Field(description="Take what is staged in git, instead of the working tree.")
        ] = False,
        base: Annotated[
            str | None, Field(description="Take everything since the history left this branch or commit.")
        ] = None,
        patch: Annotated[
            str | None, Field(description="Take this unified diff instead, applied to the files or not.")
        ] = None,
        include_unlikely: Annotated[bool, Field(description="List unlikely places, too.")] = False,
    ) -> dict[str, Any]:
        """Tell what a change still lacks: places in the whole repository where its rewrites go on.

        Without arguments, the change is the working tree against HEAD. Each place has a path, lines from 1, the old and the
        new text, the rule and a confidence. `uses` has what still uses a definition that the change renamed or took out,
        where no edit is sure: look at each. `complete` is true when no place is likely and no use is left.
        """
        tool = partial(
            self._tools.finish_change,
            staged=staged,
            base=base,
            patch=patch,
            include_unlikely=include_unlikely,
        )
        return await self._run(ctx, tool)

    async def search_code(
        self,
        ctx: Context,
        query: Annotated[
            str,
            Field(
                description="A question (`where are retries configured`), names (`retry_after`), or a piece of code in "
                "quotes."
            ),
        ],
        limit: Annotated[
            int, Field(ge=1, le=MAX_RESULTS, description="The number of results, at most.")
        ] = 20,
    ) -> dict[str, Any]:
        """Search the code of the workspace: by names, by words in their usual forms, and by pieces of text.

        Each result has a path, lines from 1, the text, and why it is one. `notice` says what the results lack, as long as
        the index is not whole.
        """
        return await self._run(ctx, partial(self._tools.search_code, query=query, limit=limit))

    async def apply_sketch(
        self,
        ctx: Context,
        sketch: Annotated[
            str,
            Field(
                description="Code with `... existing code ...` markers, a diff, search/replace blocks or a patch, "
                "with the path of each file."
            ),
        ],
        file: Annotated[
            str | None,
            Field(description="The file that it changes, from the root, if the sketch names none."),
        ] = None,
        choose: Annotated[int | None, Field(ge=1, description="The number of the choice to take.")] = None,
        write: Annotated[
            bool, Field(description="Write the files: all of them or none. Without it, nothing is written.")
        ] = False,
    ) -> dict[str, Any]:
        """Turn a sketch of a change into the exact edit, as a diff, and write it only with write=true.

        A sketch that does not fit exactly one place is refused. `refusal` says why, and `choices` lists the readings where
        there are several.
        """
        tool = partial(self._tools.apply_sketch, sketch=sketch, file=file, choose=choose, write=write)
        return await self._run(ctx, tool)

    async def _run(self, ctx: Context, tool: partial[dict[str, Any]]) -> dict[str, Any]:
        """Run a tool on a thread, report its progress, and end it when the client cancels it or its time is over."""
        stop = threading.Event()
        progress = _Progress(ctx)
        deadline_s = DEADLINES_S[tool.func.__name__]

        def check() -> None:
            if stop.is_set():
                raise Cancelled
            if self._clock() - started_at > deadline_s:
                raise ToolRefusedError(
                    f"the call took longer than {deadline_s:.0f} s; ask for less at a time"
                )

        async def wait_for_cancellation() -> None:
            try:
                await anyio.sleep_forever()
            finally:
                stop.set()

        out: dict[str, Any] = {}
        problem: ToolRefusedError | None = None
        async with self._lock, anyio.create_task_group() as group:
            started_at = self._clock()
            group.start_soon(wait_for_cancellation)
            try:
                out = await anyio.to_thread.run_sync(tool, check, progress.report)
            except ToolRefusedError as error:
                problem = error
            except Cancelled:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        if problem is not None:
            raise ToolError(str(problem))
        return out


class _Progress:
    """The progress of one call, as numbers that only grow: one for each kind of work, and the share that is done of it."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._kinds: list[str] = []
        self._sent, self._sent_at = -1.0, float("-inf")

    def report(self, what: str, done: int, total: int) -> None:
        """Tell the client how far the call is, from the thread of the tool."""
        is_new = what not in self._kinds
        if is_new:
            self._kinds.append(what)
        value = self._kinds.index(what) + (min(done / total, 1.0) if total else 0.0)
        if value <= self._sent or (not is_new and time.monotonic() - self._sent_at < PROGRESS_S):
            return
        self._sent, self._sent_at = value, time.monotonic()
        message = f"{what}: {done} of {total}" if total else what
        anyio.from_thread.run(self._ctx.report_progress, value, None, message)


def _report_dropped() -> None:
    print_note("editahead: a message was left out, as it is too large")


def serve(root: Path) -> None:
    """Answer on stdin and stdout until stdin ends. Of stdin, the SDK reads lines of any size; ours have a limit."""
    sys.stdin = BoundedStdin(sys.stdin.buffer, _report_dropped)
    anyio.run(ToolServer(root).server.run_stdio_async)
