"""LSP language ids by file extension."""

from __future__ import annotations

LANGUAGE_BY_EXTENSION = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "jsx": "javascriptreact",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "typescriptreact",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "kt": "kotlin",
    "kts": "kotlin",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "c++": "cpp",
    "hpp": "cpp",
    "md": "markdown",
    "markdown": "markdown",
}
"""LSP language id by file extension, without the dot and in lower case."""
LANGUAGE_FAMILIES = {
    "javascript": "web",
    "javascriptreact": "web",
    "typescript": "web",
    "typescriptreact": "web",
    "c": "c",
    "cpp": "c",
}
"""Languages whose files share names, by LSP language id. Any other language is a family of its own."""
