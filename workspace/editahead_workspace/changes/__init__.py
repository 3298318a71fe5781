"""The change that `finish` is asked about: read from git, from a patch, or from a folder with the files before."""
