"""The folders with the packages of this project."""

PARTS = (
    "cli",
    "lsp",
    "workspace",
    "serving",
    "inference",
    "retrieval",
    "prompts",
    "programs",
    "evals",
    "lab",
)
