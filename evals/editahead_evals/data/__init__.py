"""Edit records: files, git histories, revisions of Editahead."""
