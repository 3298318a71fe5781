"""Names of files with secrets, in all spellings; and names that only resemble them."""

from __future__ import annotations

import pytest

from editahead_retrieval.files.secret_names import MAX_URI_CHARS, is_secret_path, is_secret_uri


def names(text: str) -> list[str]:
    """Return the names in a text."""
    return text.split()


SECRET = names(
    """
.env .env.local .env.production .env-prod .env_test prod.env config/staging.env .envrc .flaskenv .dev.vars
terraform.tfvars prod.auto.tfvars vars.tfvars.json terraform.tfstate terraform.tfstate.backup
.terraform.tfstate.lock.info secret.yaml secrets.yml secrets.json secrets.toml db-secret.yaml app.secrets.json
secrets.enc.yaml credentials credentials.json aws-credentials.csv credentials.xml passwords.txt password.json
db_passwords.yml client_secret.json client_secret_123.json kubeconfig prod.kubeconfig .kube/config
.docker/config.json .dockercfg .dockerconfigjson .aws/credentials .aws/config .azure/accessTokens.json
.config/gcloud/credentials.db .config/gh/hosts.yml .oci/config service-account.json service_account_prod.json
my-service-account.json serviceaccount.json app-firebase-adminsdk-x1.json application_default_credentials.json
.vault-token .vault_pass vault-password vault_pass.txt server.pem server.pem.bak server.key server.key.old
a.p8 a.p12 a.pfx a.jks a.keystore a.kdbx a.ppk a.ovpn krb5.keytab id_rsa id_rsa.bak id_dsa id_ecdsa id_ed25519
id_ed25519_work deploy_rsa .ssh/config .ssh/known_hosts .gnupg/private-keys/x .s3cfg .boto .my.cnf
.mylogin.cnf .netrc _netrc .pgpass pgpass.conf .npmrc .yarnrc.yml .pypirc .htpasswd .git-credentials
.cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml gradle.properties auth.json
.terraformrc credentials.tfrc.json wp-config.php local.settings.json sftp-config.json filezilla.xml
rclone.conf .msmtprc .bash_history .zsh_history .psql_history .mysql_history .python_history
.node_repl_history .env~ .env.bak .env.swp .#.env #.env# ..env.swp .secrets.yaml.swp secrets.yaml.orig
.npmrc.save .env.bak~ id_rsa.1 .ENV Prod.Env ID_RSA Secrets.YAML .env. .env.. .env::$DATA .e\u200bnv \uff0eenv
.env?x .env#x
google-services.json app/google-services.json GoogleService-Info.plist google-services.json.bak hosts.yml hosts.yaml
gh/hosts.yml android/key.properties keystore.properties local.properties google_maps_api.xml App.mobileprovision
config/prod.secret.exs .config/glab-cli/config.yml .config/github-copilot/apps.json
.config/configstore/firebase-tools.json .config/stripe/config.toml rootkey.csv bob_accessKeys.csv accessTokens.json
msal_token_cache.json site.publishsettings gcp-oauth.keys.json oauth_creds.json kubeconfig.yaml talosconfig k3s.yaml
kubernetes/admin.conf helm/repositories.yaml kaggle.json huggingface/token .databrickscfg .dbt/profiles.yml
.snowsql/config .sentryclirc sentry.properties .clasprc.json ngrok.yml .pip/pip.conf pypoetry/auth.toml .cabal/config
.hex/hex.config .Renviron .httr-oauth .authinfo .pg_service.conf cwallet.sso wpa_supplicant.conf wg0.conf
wifi.nmconnection ssh_host_ed25519_key ssh_host_rsa_key.bak id_ed25519_sk private_key private-key.xml api_keys.yml
api-key.json access_token.txt auth-tokens.json secrets.yaml.dec secrets.prod.dec .dev.vars.production
.idea/dataSources.xml dataSources.local.xml config/parameters.yml app/etc/env.php sites/default/settings.php
settings.local.php local_settings.py instance/config.py cookies.txt logins.json key4.db site.har wallet.dat mnemonic.txt
UTC--2026-01-01T00-00-00Z--ab .lesshst .viminfo .fish_history fish_history .pry_history .ipython_history
ConsoleHost_history.txt
"""
)
NOT_SECRET = names(
    """
.env.example .env.sample .env.template env.py environment.py settings.env.ts key.py monkey.ts keys.json
token.py tokens.go secret.py secrets.py credentials.ts password.go password_reset.html credentials_test.py
id_rsa.pub server.crt config.json docker/config.json .docker/Dockerfile .github/workflows/ci.yml package.json
main.tf variables.tf SecretStore.java kubeconfig.go readme.env.md pem.py history.py .gitignore .editorconfig
service_account.py secretary.json passwordless.md tokenizer.json gradle.build settings.xml what?.py
hosts.py hosts.ini hosts.example.yml hosts google-services.gradle google_services.py firebase.json firebase_options.dart
parameters.yml src/parameters.py env.php settings.php settings.py config.py database.yml profiles.yml repositories.yaml
admin.conf access_token.py api_keys.ts api-keys.md private_key.go design/tokens.json kaggle.py local.py history.ts
git_history.py dec.c secrets/detection.py decoder.dec sub.plist Info.plist Package.dec config.toml pip.py Dockerfile
docker-compose.yml vault.yml
"""
)


@pytest.mark.parametrize("folder", ["", "/data/x/", "C:\\x\\"])
def test_secret(folder: str) -> None:
    paths = [folder + (name.replace("/", "\\") if "\\" in folder else name) for name in SECRET]
    assert [path for path in paths if not is_secret_path(path)] == []


def test_not_secret() -> None:
    assert [name for name in NOT_SECRET if is_secret_path(f"/data/{name}")] == []


def test_the_issue_lists_enough() -> None:
    assert len(SECRET) >= 100


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:/x/.env",
        "untitled:.env",
        "git:/x/.env?ref",
        'git:/x/.env?{"path":"/x/.env","ref":"~"}',
        "git:/x/a.py?%7B%22path%22%3A%22%2Fx%2F.env%22%7D",
        "file:///x/.env?x",
        "file:///x/%2Eenv",
        "file:///x/%252Eenv",
        "FILE:///x/.ENV",
        "vscode-vfs://github/a/b/.env",
        "vscode-remote://ssh-remote%2Bhost/x/.aws/credentials",
        "jar:file:///x/a.jar!/id_rsa",
        "zipfile:///x/a.zip::prod.env",
        "fugitive:///x/.git//0/.env",
        "diff:a.py..secrets.yaml",
        "output:/x/terraform.tfstate#1",
        "x:" + "a" * MAX_URI_CHARS,
    ],
)
def test_secret_in_any_scheme(uri: str) -> None:
    assert is_secret_uri(uri)


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "file:///x/a.py", "git:/x/a.py?ref=HEAD", "inmemory://model/1", "", "x:"]
)
def test_no_secret_in_other_schemes(uri: str) -> None:
    assert not is_secret_uri(uri)
