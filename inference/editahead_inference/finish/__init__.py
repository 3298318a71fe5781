"""What a change still lacks: the places in the whole codebase where its rewrites go on."""
