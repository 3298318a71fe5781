#!/usr/bin/env bash
# get-debian-tool.sh FOLDER SUITE PACKAGE[,PACKAGE...] BINARY...
# Puts a program of a Debian suite into FOLDER, for tests, and leaves this system as it is:
#   editors/testing/get-debian-tool.sh .venv/editors/neovim sid neovim nvim
# apt, with a state of its own, downloads the packages and all that they need, libc included; FOLDER/bin/BINARY runs it
# with that libc's loader. Needs no root. What is there already is not fetched again. Ends with 3 where apt has no Debian.
set -euo pipefail

(($# >= 4)) || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=$2
IFS=, read -ra packages <<<"$3"
shift 3
root=$folder/root

mirror() { # the one that this machine's own apt uses for Debian proper
  apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/*$/ && !found++ { print } END { exit !found }' ||
    { echo "this machine has no Debian mirror to fetch from" >&2; return 3; }
}

fetch() {
  local apt=$folder/apt from
  from=$(mirror)
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$root"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $from $suite main" >"$apt/sources.list"
  : >"$apt/status" # nothing is installed there, so everything is downloaded
  local options=(
    -qq
    -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o APT::Install-Recommends=false -o "APT::Sandbox::User=$(id -un)" -o Debug::NoLocking=1
  )
  apt-get "${options[@]}" update >&2
  apt-get "${options[@]}" -y --download-only install "${packages[@]}" >&2
  local deb
  for deb in "$apt"/cache/archives/*.deb; do
    # Links that lead out of the root, and devices, are of no use here: tar may complain about them.
    dpkg-deb --fsys-tarfile "$deb" | tar x -C "$root" --keep-directory-symlink --no-same-owner 2>/dev/null || true
  done
  basename "$(ls "$apt"/cache/archives/"${packages[0]}"_*.deb)" .deb >"$folder/version"
  rm -rf "$apt"
}

emacs() { # where Emacs has its things, and its packages: nothing of it is looked for where it would have been installed
  local lisp share
  for lisp in "$root"/usr/share/emacs/[0-9]*/lisp; do
    [[ -d $lisp ]] || return 0
    share=${lisp%/lisp}
    echo "export EMACSLOADPATH='$(printf '%s:' "$root"/usr/share/emacs/site-lisp/elpa-src/*/)$lisp'"
    echo "export EMACSDATA='$share/etc' EMACSDOC='$share/etc'"
    echo "export EMACSPATH='$(echo "$root"/usr/libexec/emacs/[0-9]*/*)'"
  done
}

wrap() { # wrap BINARY
  local loader program
  loader=$(find "$root" -name 'ld-linux-*.so.*' | head -n 1)
  program=$(readlink -f "$(find "$root"/usr/*bin -name "$1" | head -n 1)")
  [[ -x $loader && -f $program ]] || { echo "there is no $1 in ${packages[*]}" >&2; return 1; }
  local machine dump
  machine=$(basename "$(dirname "$(find "$root" -name 'libc.so.6' | head -n 1)")")
  dump=$(find "$root/usr/libexec" -name emacs.pdmp 2>/dev/null | head -n 1 || true)
  mkdir -p "$folder/bin"
  cat >"$folder/bin/$1" <<END
#!/bin/sh
if [ -d "$root/usr/share/nvim/runtime" ]; then export VIMRUNTIME="$root/usr/share/nvim/runtime"; fi
if [ -d "$root/usr/lib/helix/runtime" ]; then export HELIX_RUNTIME="$root/usr/lib/helix/runtime"; fi
$(emacs)
exec "$loader" --library-path "$root/usr/lib/$machine:$root/lib/$machine" --argv0 "${dump:+$root/usr/bin/}$1" "$program" ${dump:+"--dump-file=$dump"} "\$@"
END
  chmod +x "$folder/bin/$1"
}

[[ -s $folder/version ]] || fetch
for binary in "$@"; do wrap "$binary"; done
cat "$folder/version"
