"""What all prompt formats share. Each format is one module below `next_edit` or `apply`."""
