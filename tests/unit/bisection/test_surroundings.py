from __future__ import annotations

from pathlib import Path

from perfgate.bisection.owner import RUN_VARIABLE
from perfgate.bisection.surroundings import Surroundings

TREE = Path("/tree")


def surroundings(**outer: str) -> Surroundings:
    return Surroundings(
        outer=outer,
        names=("WANTED",),
        root=Path("/user"),
        home=Path("/home-of-run"),
        temporary=Path("/temporary"),
        token="mark",  # noqa: S106 - no secret
    )


def test_only_listed_variables_come_through() -> None:
    seen = surroundings(PATH="/bin", WANTED="yes", GITHUB_TOKEN="ghs", HOME="/root", GIT_DIR="/x").of_setup()  # noqa: S106 - made up
    assert seen == {
        "PATH": "/bin",
        "WANTED": "yes",
        "HOME": "/home-of-run",
        "TMPDIR": "/temporary",
        "PYTHONDONTWRITEBYTECODE": "1",
        RUN_VARIABLE: "mark",
    }


def test_every_launch_has_another_hash_seed_and_another_size() -> None:
    launches = [surroundings().of_launch(TREE) for _ in range(20)]
    assert len({item["PYTHONHASHSEED"] for item in launches}) > 10
    assert len({len(item["PERFGATE_BISECT_PADDING"]) for item in launches}) > 10


def test_a_search_path_into_the_users_tree_leads_into_the_worktree() -> None:
    seen = surroundings(PYTHONPATH="/user/lib:/elsewhere").of_launch(TREE)
    assert seen["PYTHONPATH"].split(":")[-2:] == ["/tree/lib", "/elsewhere"]
