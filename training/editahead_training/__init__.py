"""What Editahead learns from real edits: today the gate's weights."""
