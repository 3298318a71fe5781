"""Names of files that a person should read first, because programs run or obey them without a question.

The tables are data: each row has the reason for its names, which docs/apply-laws.md shows, too.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, Literal

from editahead_prompts.text.file_names import fold_name

from .review_flags import Flag

Scope = Literal["always", "new", "scripts"]
"""Which writes of a file need a yes: all; those of a new file; all that change what package managers run."""


@dataclass(frozen=True, slots=True)
class FileFlag(Flag):
    """A flag of a file, with the writes that need a yes."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class _Row:
    """Names of files or of folders, folded, with spaces between, and why they need a yes. A `*` is any text."""

    reason: str
    names: str
    scope: Scope = "always"


_SHORT_NAME = re.compile(r"[^.~]{1,6}~\d+(?:\.[^.]{0,3})?")
"""Pattern of the short names that Windows gives to files, such as `GIT~1` for `.git`."""

FOLDERS = (
    _Row(
        "editors run tasks, load plug-ins and start programs that are set here",
        ".vscode .vs .idea .fleet .zed .helix .nvim .vim .settings .theia",
    ),
    _Row(
        "agents obey it, and run its hooks and servers",
        ".cursor .claude .codex .gemini .kiro .windsurf .roo .cline .clinerules .continue .aider* .augment "
        ".amazonq .junie .opencode .qwen .trae .goose .agents",
    ),
    _Row(
        "pipelines run it, with the keys of the project",
        ".github .gitlab .gitea .forgejo .circleci .buildkite .tekton .woodpecker .azuredevops",
    ),
    _Row(
        "version control runs it with each command",
        ".husky .githooks .hg .svn .bzr .jj .sl _darcs",
    ),
    _Row(
        "shells and build tools read it when they are started in the folder",
        ".devcontainer .direnv .cargo .mvn .bundle .mise .yarn .rprofile.d .ipython",
    ),
)
"""Folders in which each file needs a yes."""

FILES = (
    _Row(
        "a file of this name makes a folder a repository of git, whose configuration runs programs",
        "head",
    ),
    _Row(
        "git obeys it",
        ".gitattributes .gitmodules .gitconfig .lfsconfig",
    ),
    _Row(
        "version control obeys it",
        "hgrc .hgrc .hgsub",
    ),
    _Row(
        "Editahead obeys it",
        "editahead.toml",
    ),
    _Row(
        "agents obey it as if the person had said it",
        "claude.md claude.local.md agents.md agents.override.md agent.md gemini.md qwen.md warp.md crush.md "
        "skill.md .cursorrules .windsurfrules .clinerules .roorules* .roomodes .goosehints .aider.* "
        "copilot-instructions.md .replit .mcp.json mcp.json opencode.json opencode.jsonc .cursorignore "
        ".continuerc.json",
    ),
    _Row(
        "a shell or a tool for environments runs it when a person enters the folder",
        ".envrc .tool-versions .mise.toml mise.toml .autoenv* devcontainer.json .devcontainer.json .profile "
        ".bash_profile .bashrc .zshenv .zprofile .zshrc .inputrc",
    ),
    _Row(
        "pipelines run it, with the keys of the project",
        ".gitlab-ci.yml .travis.yml .drone.yml .woodpecker.yml azure-pipelines.yml jenkinsfile "
        "bitbucket-pipelines.yml .cirrus.yml appveyor.yml .appveyor.yml cloudbuild.yaml buildspec.yml",
    ),
    _Row(
        "hooks run it at each commit",
        ".pre-commit-config.yaml .pre-commit-config.yml lefthook.y*ml .lefthook.y*ml .overcommit.yml "
        ".lintstagedrc* lint-staged.config.* .huskyrc* .simple-git-hooks*",
    ),
    _Row(
        "editors run it when they open a file of the folder",
        ".exrc .nvimrc .nvim.lua .vimrc .lvimrc .local.vimrc .vimspector.json .projections.json "
        ".dir-locals.el .dir-locals-2.el .ycm_extra_conf.py desktop.ini autorun.inf *.code-workspace "
        "*.sublime-project",
    ),
    _Row(
        "linters and language servers that an editor starts load code that it names",
        ".pylintrc pylintrc .pylintrc.toml pylintrc.toml .luarc.json .luarc.jsonc .luacheckrc .eslintrc "
        ".eslintrc.* eslint.config.* .stylelintrc* stylelint.config.* .prettierrc* prettier.config.* "
        ".rubocop.yml .solargraph.yml .credo.exs .clangd mypy.ini .mypy.ini .flake8 .golangci.* "
        ".php-cs-fixer*.php phpstan.neon* .lintr tslint.json",
    ),
    _Row(
        "debuggers and interpreters run it when they are started in the folder",
        ".gdbinit .lldbinit .pdbrc* .pythonrc* sitecustomize.py usercustomize.py *.pth .rprofile .renviron "
        ".irbrc .pryrc .iex.exs .ghci .psqlrc .sqliterc .ocamlinit .perldb .jshellrc .node_repl* .noderc "
        ".utoprc .guile .octaverc",
    ),
    _Row(
        "package managers and builds take programs and addresses from it",
        ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs pnpm-workspace.yaml .bunfig.toml bunfig.toml .bazelrc "
        ".bazeliskrc pip.conf pip.ini uv.toml .condarc nuget.config .pypirc",
    ),
    _Row(
        "package managers run its scripts, and nothing else of it",
        "package.json",
        "scripts",
    ),
    _Row(
        "test runners and builds run it without being told so; a file that is there is ordinary code of the project",
        "conftest.py pytest.ini .pytest.ini tox.ini setup.cfg setup.py pyproject.toml noxfile.py binding.gyp "
        "build.rs .babelrc* babel.config.* postcss.config.* .mocharc* .nycrc*",
        "new",
    ),
)
"""Files that need a yes wherever they are."""

REPOSITORY_PARTS = frozenset(
    [
        "config",
        "config.worktree",
        "hooks",
        "objects",
        "refs",
        "reftable",
        "packed-refs",
        "commondir",
        "gitdir",
        "info",
        "modules",
        "worktrees",
    ]
)
"""What a repository of git holds beside its `HEAD`."""
_SCRIPT_KEYS = [
    "scripts",
    "bin",
    "gypfile",
    "husky",
    "lint-staged",
    "simple-git-hooks",
    "pre-commit",
    "packageManager",
    "config",
    "workspaces",
    "eslintConfig",
    "babel",
    "stylelint",
    "prettier",
    "mocha",
    "overrides",
    "resolutions",
    "imports",
]
"""Parts of a `package.json` that package managers and tools run, or take code from."""


def runs_by_itself(path: PurePosixPath) -> Scope | None:
    """Return which writes of a file need a yes, since programs run or obey it without a question; None for none.

    Args:
        path: Relative to the workspace folder.
    """
    parts = [fold_name(part) for part in path.parts]
    if any(_SHORT_NAME.fullmatch(part) for part in parts):
        return "always"
    scopes = [row.scope for row in FOLDERS for part in parts if _matches(row, part)]
    scopes += [row.scope for row in FILES if parts and _matches(row, parts[-1])]
    return min(scopes, default=None)  # "always" comes first


def make_flag(scope: Scope) -> FileFlag:
    """Return the flag of a file."""
    return FileFlag("runs", "Other programs run or obey this file without a question: read it first.", scope)


def changes_scripts(old: str, new: str) -> bool:
    """Return whether two texts of a `package.json` differ in what is run, or cannot be compared."""
    try:
        before, after = json.loads(old), json.loads(new)
        return any(_get(before, key) != _get(after, key) for key in _SCRIPT_KEYS)
    except (ValueError, RecursionError):
        return True


def _get(package: Any, key: str) -> Any:
    if not isinstance(package, dict):
        raise ValueError("a package is an object")
    return package.get(key)


def _matches(row: _Row, name: str) -> bool:
    return any(fnmatchcase(name, each) for each in row.names.split())
