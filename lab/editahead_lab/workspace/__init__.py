"""The evaluation of edits in closed files, over the workspaces of commits."""
