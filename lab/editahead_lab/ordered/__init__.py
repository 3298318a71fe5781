"""The evaluation of ordered edits: pull requests, replayed edit by edit."""
