"""The files for administrators: the database's settings, as a real server takes them."""

from __future__ import annotations

import re
from pathlib import Path

from real_postgres import PostgresServer

FOLDER = Path(__file__).parents[3] / "docs" / "team-index"


def test_a_server_takes_the_settings(postgres: PostgresServer) -> None:
    text = (FOLDER / "compose.yaml").read_text("utf-8")
    settings = dict(re.findall(r"^ +- -c\n +- (\w+)=(.*)$", text, re.MULTILINE))
    assert settings.pop("ssl") == "on" and settings["log_parameter_max_length"] == "0"
    assert settings.pop("ssl_cert_file") and settings.pop("ssl_key_file"), (
        "the server of the tests has no TLS"
    )
    for name, value in settings.items():
        assert postgres.setting(name, value) in (value, "131072"), name


def test_no_one_connects_without_a_password_or_from_afar_without_tls() -> None:
    rules = [
        line.split() for line in (FOLDER / "pg_hba.conf").read_text("utf-8").splitlines() if line[0] != "#"
    ]
    assert {rule[0] for rule in rules} == {"local", "hostssl"} and {rule[-1] for rule in rules} == {
        "scram-sha-256"
    }
