"""How linters are started: none that could do more than read."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editahead_inference.errors import Cancelled
from editahead_programs.child_process import ChildLimits, Finished, run_child
from editahead_programs.program_search import safe_path
from editahead_retrieval.errors import UnreadableFileError
from editahead_retrieval.files.bounded_files import read_bounded_file

TSCONFIG = ".editahead.tsconfig.json"
"""The name of our configuration of tsc, in the temporary folder."""
LIMITS = ChildLimits(memory_mb=3_000, cpu_s=120, can_write=False)
"""What a linter may use: a configuration may lead to a file without an end."""
MAX_OUTPUT_BYTES = 20_000_000
"""Bytes of a linter's output. No person reads as many problems."""

_KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "SYSTEMDRIVE", "PATHEXT", "COMSPEC")
_SAFE_OPTIONS = frozenset(
    {
        "allowJs",
        "allowSyntheticDefaultImports",
        "allowUmdGlobalAccess",
        "allowUnreachableCode",
        "allowUnusedLabels",
    }
    | {
        "alwaysStrict",
        "baseUrl",
        "checkJs",
        "customConditions",
        "downlevelIteration",
        "emitDecoratorMetadata",
    }
    | {"erasableSyntaxOnly", "esModuleInterop", "exactOptionalPropertyTypes", "experimentalDecorators"}
    | {"forceConsistentCasingInFileNames", "isolatedModules", "jsx", "jsxFactory", "jsxFragmentFactory"}
    | {"jsxImportSource", "lib", "module", "moduleDetection", "moduleResolution", "moduleSuffixes"}
    | {
        "noFallthroughCasesInSwitch",
        "noImplicitAny",
        "noImplicitOverride",
        "noImplicitReturns",
        "noImplicitThis",
    }
    | {"noLib", "noPropertyAccessFromIndexSignature", "noUncheckedIndexedAccess", "noUnusedLocals"}
    | {"noUnusedParameters", "paths", "preserveSymlinks", "resolveJsonModule", "resolvePackageJsonExports"}
    | {"resolvePackageJsonImports", "rootDirs", "skipDefaultLibCheck", "skipLibCheck", "strict"}
    | {"strictBindCallApply", "strictBuiltinIteratorReturn", "strictFunctionTypes", "strictNullChecks"}
    | {"strictPropertyInitialization", "target", "typeRoots", "types", "useDefineForClassFields"}
    | {"useUnknownInCatchVariables", "verbatimModuleSyntax"}
)
"""Options of a workspace's `tsconfig.json` that only say how to read code. Others write files, such as `generateTrace`."""
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*+")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*+")|,(?=\s*[}\]])')


def make_environment(
    home: Path, folders: Sequence[Path], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the environment of a linter: no keys, and no options for it or for the language that it is written in.

    Args:
        home: A temporary folder, which takes the place of the user's.
        folders: The workspace folders.
        environment: The environment variables of this process.
    """
    kept = {name: environment[name] for name in _KEPT_VARIABLES if name in environment}
    places = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP"), str(home))
    return {**kept, **places, "PATH": safe_path(folders, environment)}


async def run_linter(command: Sequence[str], **options: Any) -> Finished:
    """Run a linter on a thread, see `run_child`. A caller that is cancelled waits until it has ended."""
    is_cancelled = threading.Event()

    def check() -> None:
        if is_cancelled.is_set():
            raise Cancelled

    running = asyncio.ensure_future(asyncio.to_thread(run_child, command, check=check, **options))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        is_cancelled.set()
        await asyncio.gather(running, return_exceptions=True)
        raise


def write_tsconfig(shadow: Path, files: Sequence[str]) -> None:
    """Write our configuration of tsc: the workspace's options that only say how to read code, and no output.

    Args:
        shadow: The temporary folder.
        files: The files to check, relative to the folder.

    Raises:
        OSError: The configuration cannot be written.
    """
    theirs = _read_tsconfig(shadow / "tsconfig.json")
    options = theirs.get("compilerOptions")
    kept = {k: v for k, v in options.items() if k in _SAFE_OPTIONS} if isinstance(options, dict) else {}
    ours = {
        "noEmit": True,
        "incremental": False,
        "composite": False,
        "plugins": [],
        "disableSolutionSearching": True,
    }
    config: dict[str, Any] = {"compilerOptions": {**kept, **ours}, "files": list(files)}
    listed = theirs.get("files")
    if isinstance(listed, list):
        config["files"] = [*files, *(name for name in listed if isinstance(name, str))]
    config.update({key: theirs[key] for key in ("include", "exclude") if key in theirs})
    if theirs and "include" not in theirs and "files" not in theirs:
        config["include"] = ["**/*"]
    (shadow / TSCONFIG).write_text(json.dumps(config), "utf-8")


def _read_tsconfig(path: Path) -> dict[str, Any]:
    """Return a workspace's configuration; an empty one if there is none that can be read."""
    try:
        text = read_bounded_file(path).decode("utf-8-sig")
        plain = _LAST_COMMA.sub(lambda m: m[1] or "", _COMMENT.sub(lambda m: m[1] or " ", text))
        found = json.loads(plain)
    except (FileNotFoundError, UnreadableFileError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
