"""What each hunk of a change is, and what a person should read first."""
