"""The workspace without a protocol: settings, the user's folders, files, changes, indexes; the use cases on them."""
