r"""The forms of keys and tokens that say what they are, one expression for each issuer.

The forms are those that the issuers document. Each expression needs one of its `starts`, which are looked for first: a
search for a fixed text is a hundred times quicker than one for an expression. A token is masked from its first few
characters on, so that one that is being typed is masked, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TokenFormat:
    """The form of one kind of token.

    Attributes:
        starts: Texts one of which every token of this kind holds.
        pattern: The token. Its group `secret` is what is masked; the rest tells only what it is.
    """

    starts: tuple[str, ...]
    pattern: re.Pattern[str]


def _form(starts: str, secret: str, before: str = r"(?<![A-Za-z0-9])", after: str = "") -> TokenFormat:
    r"""Return the form of a token that begins with a fixed text.

    Args:
        starts: The texts, separated by spaces.
        secret: The expression of what follows.
        before: The expression of what must come before.
        after: The expression of what must follow.
    """
    texts = tuple(starts.split())
    heads = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    return TokenFormat(texts, re.compile(rf"{before}(?:{heads})(?P<secret>{secret}){after}"))


_DIGIT_AHEAD = r"(?=[A-Za-z_-]{0,40}[0-9])"
"""Pattern that wants a digit: what follows is no word or name."""

TOKEN_FORMATS = (
    # Amazon Web Services
    _form("AKIA ASIA ABIA ACCA", r"[A-Z2-7]{8,16}(?![A-Za-z0-9])"),
    # GitHub and GitLab
    _form("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"[A-Za-z0-9_]{8,255}"),
    _form(
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        r"[A-Za-z0-9_.-]{8,300}",
    ),
    # Chat and mail
    _form("xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[A-Za-z0-9%/+=-]{8,300}"),
    _form(
        "hooks.slack.com/services/ hooks.slack.com/workflows/ discord.com/api/webhooks/",
        r"[\w/-]{16,200}",
        "",
    ),
    _form("SG.", r"[\w-]{16,64}\.[\w-]{8,80}"),
    _form("key-", r"[0-9a-f]{32}(?![0-9a-f])"),
    TokenFormat((":AA",), re.compile(r"(?<![0-9])[0-9]{8,10}:(?P<secret>AA[\w-]{30,40})")),
    # Models
    _form("sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- sk-live-", r"[A-Za-z0-9_-]{8,300}"),
    _form("sk-", rf"{_DIGIT_AHEAD}(?=[A-Za-z0-9_-]{{0,100}}[A-Z])[A-Za-z0-9_-]{{20,300}}"),
    _form("hf_", r"(?=\w{0,60}[A-Z])[A-Za-z0-9]{20,60}(?!\w)"),
    _form("gsk_ xai- pplx- nvapi-", rf"{_DIGIT_AHEAD}[A-Za-z0-9_-]{{30,200}}"),
    # Payment
    _form("sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{8,200}"),
    _form("sq0atp- sq0csp-", r"[\w-]{20,60}"),
    _form("access_token$production$ access_token$sandbox$", r"[0-9a-z$]{20,80}"),
    # Google
    _form("AIza", r"[\w-]{20,35}"),
    _form("ya29.", r"[\w-]{20,500}"),
    _form("GOCSPX-", r"[\w-]{8,40}"),
    # Package registries
    _form("npm_", rf"{_DIGIT_AHEAD}[A-Za-z0-9]{{20,60}}(?!\w)"),
    _form("pypi-", r"(?:AgE|AgN)[\w-]{20,500}"),
    _form("rubygems_", r"[0-9a-f]{20,60}"),
    _form("dckr_pat_ dckr_oat_ oy2 CLOJARS_", rf"{_DIGIT_AHEAD}[A-Za-z0-9_-]{{20,80}}(?!\w)"),
    # Clouds and services
    _form("dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{8,80}"),
    _form("shpat_ shpss_ shpca_ shppa_", r"[0-9a-fA-F]{8,60}"),
    _form("hvs. hvb. hvr.", r"[\w-]{20,500}"),
    TokenFormat((".atlasv1.",), re.compile(r"(?P<secret>[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,100})")),
    _form("dapi dkea", r"[0-9a-f]{32}(?:-\d)?(?!\w)"),
    _form("NRAK- NRJS- NRII- PMAK- EZAK EZTK", r"(?=[A-Za-z-]{0,40}[0-9])[A-Za-z0-9-]{20,80}"),
    _form(
        "glsa_ glc_ sntrys_ sntryu_ lin_api_ figd_ ntn_ sbp_ pscale_tkn_ pscale_pw_ pscale_oauth_ fo1_ FlyV1 dp.pt. dp.st. "
        "CFPAT- ATATT3 ATCTT3 ATBB ops_eyJ tskey-auth- tskey-api- phx_ phc_ dt0c01. pul- rnd_ vercel_ figo_ sha256~",
        rf"{_DIGIT_AHEAD}[\w.=-]{{20,500}}",
    ),
    _form("AC SK", r"[0-9a-f]{32}(?![0-9a-z])"),
    TokenFormat(
        ("8Q~", "7Q~"),
        re.compile(r"(?<![\w~.-])(?P<secret>[A-Za-z0-9_~.-]{3}[78]Q~[\w~.-]{31,34})(?![\w~.-])"),
    ),
    _form("AGE-SECRET-KEY-1", r"[0-9A-Z]{8,60}"),
    # JSON Web Tokens and their encrypted relatives
    TokenFormat(
        ("eyJ",), re.compile(r"(?<![\w-])(?P<secret>eyJ[\w-]{8,4000}\.[\w-]{8,8000}(?:\.[\w-]{0,2000}){0,3})")
    ),
)
