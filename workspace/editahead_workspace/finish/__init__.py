"""What a change lacks: the use case in this process, and the child process that serves an editor."""
