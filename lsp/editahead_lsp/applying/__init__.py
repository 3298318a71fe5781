"""Apply, between the client and the merge: which files may be changed, in which terms the edit is given, what is done
when the documents move on meanwhile."""
