#!/usr/bin/env bash
# get-debian-tool.sh FOLDER SUITE PACKAGE[,PACKAGE...] BINARY...
# Puts a program of a Debian suite into FOLDER, for tests, and leaves this system as it is:
#   tools/environment/get-debian-tool.sh .venv/editors/neovim sid neovim nvim
# apt, with a state of its own, downloads the packages and all that they need, libc included, into the cache
# (tools/environment/cached); FOLDER/bin/BINARY runs it with that libc's loader. Needs no root. What is in the cache is not
# fetched again. Ends with 3 where apt has no Debian.
set -euo pipefail

mirror() { # the one that this machine's own apt uses for Debian proper
  apt-get indextargets --format '$(REPO_URI)' | awk '/\/debian\/*$/ && !found++ { print } END { exit !found }' ||
    { echo "this machine has no Debian mirror to fetch from" >&2; return 3; }
}

fetch() { # fetch SUITE PACKAGE,... FOLDER
  local suite=$1 packages folder=$3 from deb
  IFS=, read -ra packages <<<"$2"
  local apt=$folder/apt
  from=$(mirror)
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder/root"
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
  for deb in "$apt"/cache/archives/*.deb; do
    # Links that lead out of the root, and devices, are of no use here: tar may complain about them.
    dpkg-deb --fsys-tarfile "$deb" | tar x -C "$folder/root" --keep-directory-symlink --no-same-owner 2>/dev/null || true
  done
  python "$folder/root"
  chromium "$folder/root"
  basename "$(ls "$apt"/cache/archives/"${packages[0]}"_*.deb)" .deb >"$folder/version"
  rm -rf "$apt"
}

python() { # an interpreter finds its library from where it lies, and environments link to it: wrapped there, not in FOLDER
  local program
  for program in "$1"/usr/bin/python3.[0-9]*; do
    [[ -f $program ]] || return 0
    mv "$program" "$program.wrapped"
    cat >"$program" <<'END'
#!/bin/sh
program=$(/usr/bin/readlink -f "$0") # PATH may lack it
root=${program%/usr/bin/*}
exec "$root"/usr/lib64/ld-linux-*.so.2 --library-path "$(echo "$root"/usr/lib/*-linux-gnu)" --argv0 "$0" "$program.wrapped" "$@"
END
    chmod +x "$program"
  done
}

chromium() { # it looks for its files beside the running program, which is the loader: so the loader lies there, too
  local home=$1/usr/lib/chromium
  [[ -d $home ]] || return 0
  cp -L "$(find "$1" -name 'ld-linux-*.so.*' | head -n 1)" "$home/loader"
}

if [[ ${1:-} == --fetch ]]; then # as tools/environment/cached calls it
  fetch "${@:2}"
  exit
fi

(($# >= 4)) || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
script=$here/get-debian-tool.sh
name=debian-$2-${3//,/+}-$(git hash-object --no-filters "$script" | cut -c 1-12)
fetched=$("$here/cached" "$name" "$script" --fetch "$2" "$3")
root=$fetched/root
packages=$3
shift 3

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

fonts() { # a machine may have none
  printf '<fontconfig><dir>%s/usr/share/fonts</dir><cachedir>%s/fonts</cachedir></fontconfig>\n' "$root" "$folder" >"$1"
}

wrap() { # wrap BINARY
  local loader program own=()
  loader=$(find "$root" -name 'ld-linux-*.so.*' | head -n 1)
  program=$(readlink -f "$(find "$root"/usr/*bin -name "$1" | head -n 1)")
  if [[ -x $root/usr/lib/$1/loader ]]; then
    loader=$root/usr/lib/$1/loader program=$root/usr/lib/$1/$1
    own=("--browser-subprocess-path=$folder/bin/$1" --no-zygote) # its processes need the loader, too
    fonts "$folder/fonts.conf"
  fi
  [[ -x $loader && -f $program ]] || { echo "there is no $1 in $packages" >&2; return 1; }
  local machine dump libraries
  machine=$(basename "$(dirname "$(find "$root" -name 'libc.so.6' | head -n 1)")")
  libraries=$root/usr/lib/$machine:$root/lib/$machine
  # Some packages have a folder of libraries to themselves (libpulse0), which they look for where it would be installed.
  libraries+=$(find "$root/usr/lib/$machine" -mindepth 2 -maxdepth 2 -name 'lib*.so*' -printf ':%h\n' | sort -u | tr -d '\n')
  dump=$(find "$root/usr/libexec" -name emacs.pdmp 2>/dev/null | head -n 1 || true)
  mkdir -p "$folder/bin"
  if [[ -e $program.wrapped ]]; then
    ln -sf "$program" "$folder/bin/$1"
    return
  fi
  cat >"$folder/bin/$1" <<END
#!/bin/sh
if [ -d "$root/usr/share/nvim/runtime" ]; then export VIMRUNTIME="$root/usr/share/nvim/runtime"; fi
if [ -d "$root/usr/lib/helix/runtime" ]; then export HELIX_RUNTIME="$root/usr/lib/helix/runtime"; fi
$(emacs)
if [ -f "$folder/fonts.conf" ]; then export FONTCONFIG_FILE="$folder/fonts.conf"; fi
exec "$loader" --library-path "$libraries" --argv0 "${dump:+$root/usr/bin/}$1" "$program" ${dump:+"--dump-file=$dump"} ${own[*]} "\$@"
END
  chmod +x "$folder/bin/$1"
}

for binary in "$@"; do wrap "$binary"; done
cp "$fetched/version" "$folder/version"
cat "$folder/version"
