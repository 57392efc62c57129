"""The content security policy names each script by the hash a browser computes."""

from __future__ import annotations

from perfgate.report.html.policy import content_policy, normalised

# printf 'alert(1)\n' | openssl dgst -sha256 -binary | base64
ALERT = "sha256-MaeD7tQk/YNyd6Pm9J12ROmv0Z93QwNN4VH7v3gI+RI="


def test_everything_is_forbidden_but_the_scripts_by_hash_the_styles_and_pictures_inside() -> None:
    assert content_policy(["alert(1)\n"]) == (
        f"default-src 'none'; script-src '{ALERT}'; style-src 'unsafe-inline'; img-src data:"
    )


def test_line_ends_are_hashed_as_the_browser_reads_them() -> None:
    assert content_policy(["alert(1)\r\n"]) == content_policy(["alert(1)\n"])
    assert normalised("a\r\nb\rc\n") == "a\nb\nc\n"


def test_each_script_has_its_own_hash() -> None:
    assert content_policy(["a", "b"]).count("'sha256-") == 2
