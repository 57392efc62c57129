from __future__ import annotations

import pytest

from perfgate.bisection.gitrun import GitError
from perfgate.bisection.submodule_url import TRANSPORTS, submodule_url

ORIGIN = "https://example.org/acme/nets.git"


@pytest.mark.parametrize(
    ("url", "origin", "whole"),
    [
        ("https://example.org/lib.git", "", "https://example.org/lib.git"),
        ("ssh://git@example.org/lib.git", "", "ssh://git@example.org/lib.git"),
        ("git@example.org:acme/lib.git", "", "git@example.org:acme/lib.git"),
        # gitmodules(5): relative addresses begin with ./ or ../ and are relative to the origin's
        ("../lib.git", ORIGIN, "https://example.org/acme/lib.git"),
        ("../../other/lib.git", f"{ORIGIN}/", "https://example.org/other/lib.git"),
        ("./lib.git", ORIGIN, "https://example.org/acme/nets.git/lib.git"),
        ("../lib.git", "git@example.org:acme/nets.git", "git@example.org:acme/lib.git"),
        ("../lib.git", "git@example.org:nets.git", "git@example.org:lib.git"),
    ],
)
def test_https_and_ssh_addresses_are_taken_and_relative_ones_resolved(
    url: str, origin: str, whole: str
) -> None:
    assert submodule_url(url, origin, TRANSPORTS) == whole


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("file:///etc", ""),
        ("/srv/lib.git", ""),
        ("C:\\lib.git", ""),
        ("ext::sh -c touch% /tmp/x", ""),
        ("EXT::sh", ""),
        ("http://example.org/lib.git", ""),
        ("git://example.org/lib.git", ""),
        ("ssh://-oProxyCommand=touch/lib.git", ""),
        ("-oProxyCommand=touch:lib.git", ""),
        ("host::lib.git", ""),
        ("lib.git", ""),
        ("../lib.git", ""),
        ("../lib.git", "/srv/nets.git"),
        ("../lib.git", "file:///srv/nets.git"),
        ("../../../../../etc", ORIGIN),
    ],
)
def test_every_other_address_is_refused(url: str, origin: str) -> None:
    with pytest.raises(GitError, match="is not allowed"):
        submodule_url(url, origin, TRANSPORTS)
