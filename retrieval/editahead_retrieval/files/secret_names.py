"""Names of files with keys, passwords and histories of commands, in all spellings and in copies.

The list was checked against the signatures of gitrob (https://github.com/michenriksen/gitrob, MIT licence).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from urllib.parse import unquote

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.file_names import fold_name

_NAMES = frozenset(
    # environments
    {".env", ".envrc", ".flaskenv", ".dev.vars", "local.settings.json", "env.local"}
    # passwords and tokens of tools
    | {
        ".netrc",
        "_netrc",
        ".pgpass",
        "pgpass.conf",
        ".my.cnf",
        ".mylogin.cnf",
        ".s3cfg",
        ".boto",
        ".passwd",
        ".htpasswd",
    }
    | {
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".pnpmrc",
        ".pypirc",
        ".gem-credentials",
        "auth.json",
        "gradle.properties",
    }
    | {
        ".git-credentials",
        ".vault-token",
        ".vault_pass",
        ".vault-pass",
        ".terraformrc",
        "terraform.rc",
        ".trc",
    }
    | {"credentials.tfrc.json", ".dockercfg", ".dockerconfigjson", "kubeconfig", ".kubeconfig", "rclone.conf"}
    | {"settings-security.xml", ".msmtprc", ".fetchmailrc", ".muttrc", ".ftpconfig", ".remote-sync.json"}
    | {
        "sftp-config.json",
        "sftp.json",
        "filezilla.xml",
        "recentservers.xml",
        "sitemanager.xml",
        "robomongo.json",
    }
    | {
        "wp-config.php",
        "localsettings.php",
        "secret_token.rb",
        "otr.private_key",
        "proftpdpasswd",
        ".gitrobrc",
    }
    | {
        "configuration.user.xpl",
        "dbeaver-data-sources.xml",
        ".dbeaver-data-sources.xml",
        "credentials-config.json",
    }
    | {"jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml", "application_default_credentials.json"}
    | {
        ".credentials",
        ".secret",
        ".secrets",
        ".token",
        ".tokens",
        ".password",
        ".passwords",
        ".pass",
        ".apikey",
    }
    | {"credentials", "secrets", "htpasswd", "netrc", "token.txt", "token.json", "api_key.txt", "apikey.txt"}
    # histories of commands
    | {
        ".history",
        ".bash_history",
        ".zsh_history",
        ".sh_history",
        ".zhistory",
        ".psql_history",
        ".mysql_history",
    }
    | {
        ".irb_history",
        ".python_history",
        ".node_repl_history",
        ".sqlite_history",
        ".rediscli_history",
        ".dbshell",
    }
)
_ENDINGS = (
    *(
        ".env",
        ".pem",
        ".key",
        ".keypair",
        ".p8",
        ".p12",
        ".pfx",
        ".pkcs12",
        ".pk8",
        ".jks",
        ".keystore",
        ".bks",
        ".keytab",
    ),
    *(
        ".kdb",
        ".kdbx",
        ".psafe3",
        ".agilekeychain",
        ".keychain",
        ".kwallet",
        ".ppk",
        ".ovpn",
        ".tblk",
        ".rdp",
        ".bek",
    ),
    *(
        ".tfvars",
        ".tfvars.json",
        ".tfstate",
        ".gpg",
        ".agekey",
        ".htpasswd",
        ".kubeconfig",
        ".secret",
        ".secrets",
    ),
    *(".credentials", ".cscfg", ".fve", ".pcap", "_rsa", "_dsa", "_ecdsa", "_ed25519"),
)
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store"})
"""Folders in which every file counts."""
_FOLDER_PAIRS = frozenset(
    {(".config", "gcloud"), (".config", "gh"), (".config", "hub"), (".config", "rclone")}
)
_FILES_IN = frozenset(
    {
        (".m2", "settings.xml"),
        (".gem", "credentials"),
        (".cargo", "credentials"),
        (".cargo", "credentials.toml"),
    }
    | {(".config", "hub"), ("purple", "accounts.xml"), (".purple", "accounts.xml"), ("irssi", "config")}
    | {(".irssi", "config"), ("recon-ng", "keys.db"), (".netlify", "config.json"), (".nuget", "nuget.config")}
    | {(".docker", "config.json"), (".oci", "config"), (".chef", "knife.rb"), (".bundle", "config")}
)
_DATA = r"\.(?:json|ya?ml|toml|ini|xml|properties|txt|conf|cfg|config|plist|enc|csv|db|sqlite|gpg|asc)"
_PATTERN = re.compile(
    r"\.env[.\-_].+"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?"
    rf"|(?:.*[._-])?(?:credentials?|secrets?|passwords?|passwd|client[_-]?secret)(?:[._-][\w-]+)?{_DATA}"
    r"|(?:.*[._-])?service[_-]?accounts?.*\.json|.*(?:firebase-adminsdk|gcp-key|gcloud-key).*\.json"
    r"|\.?vault[_-]?pass(?:word)?(?:[._-].*)?|\.terraform\.tfstate.*|.*\.tfstate\..*|.*\.tfvars\..*|.*\.pem\..*"
)
_EXAMPLE = re.compile(
    r".*[._-](?:example|sample|template|dist|tpl|tmpl|schema)(?:\.\w+)?|.*\.(?:pub|crt|cer|md|rst|html)"
)
"""Pattern of names that say themselves that the file holds no secret."""
_COPY = re.compile(
    r"(?:~|\.(?:bak|backup|old|orig|original|save|saved|swp|swo|swn|tmp|temp|copy|disabled|rej|new|prev|\d{1,8}))$"
    r"|\s?\((?:\d+|copy)\)$|\s-\scopy$"
)
_SEPARATORS = re.compile(r"[/\\]")
_QUERY = re.compile(r"[?#]")
_WORDS = re.compile(r"[/\\?#&=\"'{}:,;\s]+")
MAX_URI_CHARS = 10_000
"""Characters of a URI. Longer ones count as secret."""


def is_secret_path(path: str) -> bool:
    """Return whether a path names a file with secrets, in any spelling that some file system takes for that name."""
    path = path.rstrip("/\\")
    start = max(path.rfind("/"), path.rfind("\\")) + 1
    return bool(path) and _is_secret(path[:start], path[start:])


def is_secret_uri(uri: str) -> bool:
    """Return whether a URI of any scheme names a file with secrets: as its path, or as a word of its query."""
    if len(uri) > MAX_URI_CHARS:
        return True
    text = uri
    for _ in range(3):  # some schemes encode a URI in a URI
        if is_secret_path(text) or any(map(is_secret_path, _QUERY.split(text))):
            return True
        if any(_is_secret("", word) for word in _WORDS.split(text) if word):
            return True
        decoded = unquote(text, errors="surrogateescape")
        if decoded == text:
            return False
        text = decoded
    return False


def _is_secret(folder: str, name: str) -> bool:
    is_secret, last = _read_folder(folder)
    if is_secret:
        return True
    names = {each for part in (name, _QUERY.split(name)[0]) for each in _originals(part)}
    return any(map(_is_secret_name, names)) or any((last, each) in _FILES_IN for each in names)


@cache_short(1024, max_chars=400)
def _read_folder(folder: str) -> tuple[bool, str]:
    """Return whether all in a folder is secret, and the folded name of the folder."""
    parts = [fold_name(part) for part in _SEPARATORS.split(folder) if part]
    is_secret = not _FOLDERS.isdisjoint(parts) or any(pair in _FOLDER_PAIRS for pair in pairwise(parts))
    return is_secret, parts[-1] if parts else ""


def _originals(name: str) -> Iterable[str]:
    """Return the folded name, and those of the files that it may be a copy of."""
    folded = fold_name(name)
    found = [folded]
    while (shorter := _COPY.sub("", found[-1])) != found[-1]:
        found.append(shorter.rstrip(" ."))
    bare = [each.strip("#") for each in found]
    return [
        *found,
        *bare,
        *(each[1:] for each in bare if each.startswith(".")),
        *(each[2:] for each in bare if each[:2] == ".#"),
    ]


@cache_short(8192)
def _is_secret_name(name: str) -> bool:
    if name in _NAMES:
        return True
    if _EXAMPLE.fullmatch(name):
        return False
    return name.endswith(_ENDINGS) or _PATTERN.fullmatch(name) is not None
