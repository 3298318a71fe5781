"""Names of files with keys, passwords and histories of commands, in all spellings and in copies.

The list holds what the tools themselves document as the place of their secrets, and was checked against the signatures of
gitrob (https://github.com/michenriksen/gitrob, MIT licence) and GitHub's templates of ignore files. What is as often
ordinary code or configuration counts in the folder of its tool only, or not at all: `database.yml`, `settings.py`,
`tokens.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from urllib.parse import unquote

from editahead_prompts.short_cache import cache_short
from editahead_prompts.text.file_names import fold_name


def _words(text: str) -> frozenset[str]:
    """Return the names in a text. Those behind `#` up to the end of the line are comments."""
    return frozenset(re.sub(r"#.*", "", text).split())


_NAMES = _words(
    """
    .env .envrc .flaskenv .dev.vars env.local local.settings.json local.properties .renviron
    # passwords of programs for mail, databases and the network
    .netrc _netrc netrc .authinfo .pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf cwallet.sso .passwd
    .htpasswd htpasswd .msmtprc .esmtprc .fetchmailrc .muttrc .mbsyncrc .offlineimaprc .hgrc .ftpconfig
    .remote-sync.json sftp-config.json sftp.json filezilla.xml recentservers.xml sitemanager.xml proftpdpasswd
    robomongo.json otr.private_key configuration.user.xpl dbeaver-data-sources.xml .dbeaver-data-sources.xml
    credentials-config.json datasources.local.xml sqldatasources.xml wpa_supplicant.conf chap-secrets pap-secrets
    cookies.txt logins.json key3.db key4.db wallet.dat mnemonic.txt
    # registries of packages
    .npmrc .yarnrc .yarnrc.yml .pnpmrc .pypirc .gem-credentials auth.json gradle.properties settings-security.xml .pause
    # clouds, deployment and their command lines
    .s3cfg .boto rclone.conf rootkey.csv accesstokens.json azureprofile.json msal_token_cache.json gcp-oauth.keys.json
    application_default_credentials.json .dockercfg .dockerconfigjson kubeconfig .kubeconfig kubeconfig.yaml kubeconfig.yml
    talosconfig k3s.yaml rke2.yaml .terraformrc terraform.rc credentials.tfrc.json .vault-token .vault_pass .vault-pass
    .git-credentials .trc .sentryclirc .serverlessrc .clasprc.json .databrickscfg .wakatime.cfg ngrok.yml kaggle.json
    oauth_creds.json connectionstrings.config hudson.util.secret jenkins.plugins.publish_over_ssh.bapsshpublisherplugin.xml
    # GitHub's command line keeps its tokens here. The inventories of Ansible with this name hold hosts and their passwords.
    hosts.yml hosts.yaml
    # keys in apps: Firebase, Google Maps, signatures, crash reports
    google-services.json googleservice-info.plist google_maps_api.xml keystore.properties key.properties signing.properties
    fabric.properties crashlytics.properties crashlytics-build.properties com_crashlytics_export_strings.xml
    sentry.properties
    # frameworks
    wp-config.php localsettings.php settings.local.php localconfiguration.php config.inc.php secret_token.rb
    local_settings.py
    # any tool's
    .credentials .secret .secrets .token .tokens .password .passwords .pass .apikey .gitrobrc credentials secrets token.txt
    token.json private_key privatekey hs_ed25519_secret_key .httr-oauth
    # histories of commands
    .history .dbshell .zhistory .rhistory fish_history consolehost_history.txt .lesshst .viminfo .clickhouse-client-history
    """
)
_ENDINGS = tuple(
    _words(
        """
        .env .pem .key .keypair .p8 .p12 .pfx .pkcs12 .pk8 .pvk .jks .jceks .keystore .bks .keytab .kdb .kdbx .psafe3
        .agilekeychain .opvault .1pif .1pux .keychain .kwallet .ppk .ovpn .tblk .rdp .bek .gpg .agekey .htpasswd .kubeconfig
        .tfvars .tfvars.json .tfstate .secret .secrets .secret.exs .credentials .cscfg .publishsettings .azurepubxml
        .fve .pcap .har .nmconnection .mobileprovision .provisionprofile accesskeys.csv _rsa _dsa _ecdsa _ed25519
        """
    )
)
_FOLDERS = _words(".ssh .gnupg .aws .azure .kube .password-store")
"""Folders in which every file counts."""
_CONFIG_FOLDERS = _words(
    """
    gcloud gh hub rclone glab-cli doctl hcloud stripe configstore github-copilot netlify railway op snowflake flyctl
    containers
    """
)
"""Folders in the user's folder of configurations in which every file counts."""
_FOLDER_PAIRS = frozenset((".config", name) for name in _CONFIG_FOLDERS) | {
    (".subversion", "auth"),
    (".wrangler", "config"),
}
_FILES_IN = frozenset(
    tuple(name.split("/"))
    for name in _words(
        """
        .m2/settings.xml .gem/credentials .cargo/credentials .cargo/credentials.toml .config/hub purple/accounts.xml
        .purple/accounts.xml irssi/config .irssi/config recon-ng/keys.db .netlify/config.json .nuget/nuget.config
        .docker/config.json .oci/config .chef/knife.rb .bundle/config .cabal/config .hex/hex.config .fly/config.yml
        .railway/config.json .travis/config.yml .circleci/cli.yml .talos/config .snowsql/config .dbt/profiles.yml
        .supabase/access-token huggingface/token .huggingface/token huggingface/stored_tokens helm/repositories.yaml
        kubernetes/admin.conf pypoetry/auth.toml pip/pip.conf .pip/pip.conf solana/id.json .weechat/sec.conf
        .idea/datasources.xml .idea/webservers.xml config/parameters.yml config/parameters.php etc/env.php etc/local.xml
        etc/shadow etc/gshadow default/settings.php instance/config.py
        """
    )
)
"""Files that count in a folder of this name only."""
_DATA = r"\.(?:json|ya?ml|toml|ini|xml|properties|txt|conf|cfg|config|plist|enc|csv|db|sqlite|gpg|asc)"
_WHAT = (
    r"credentials?|secrets?|passwords?|passwd|client[_-]?secret|api[_-]?keys?|access[_-]?(?:key|token)s?|auth[_-]?tokens?"
    r"|private[_-]?keys?"
)
_PATTERN = re.compile(
    r"\.env[.\-_].+|\.dev\.vars\..+"
    r"|id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:[._-].*)?|ssh_host_\w+_key|wg\d+\.conf|utc--.*"
    rf"|(?:.*[._-])?(?:{_WHAT})(?:[._-][\w-]+)?{_DATA}"
    r"|(?:.*[._-])?service[_-]?accounts?.*\.json|.*(?:firebase-adminsdk|gcp-key|gcloud-key).*\.json"
    r"|\.?vault[_-]?pass(?:word)?(?:[._-].*)?|\.terraform\.tfstate.*|.*\.tfstate\..*|.*\.tfvars\..*|.*\.pem\..*"
    r"|(?:.*[._-])?secrets?[._-].*\.dec|(?:.*[._-])?secrets?\.dec\..*"
    r"|\.[\w-]+[_-]history"
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
