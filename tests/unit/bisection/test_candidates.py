from __future__ import annotations

import pytest

from perfgate.bisection.candidates import merge_same_trees, prior_weight, side_of_merge
from perfgate.bisection.probe import Candidate


def commits(trees: str) -> tuple[Candidate, ...]:
    return tuple(Candidate(commit=f"c{place}", tree=tree) for place, tree in enumerate(trees))


def names(found: tuple[Candidate, ...]) -> list[str]:
    return [candidate.commit for candidate in found]


@pytest.mark.parametrize(
    ("touched", "weight"),
    [
        (["scripts/compile.sh", "README.md"], 3.0),
        (["README.md", "docs/guide.rst"], 0.1),
        (["docs/conf.py", "README.md"], 1.0),  # it runs
        (["requirements.txt"], 1.0),  # it is installed
        (["docs/notes.txt", "docs/plan.svg"], 0.1),
        ([], 1.0),
    ],
)
def test_weight_by_the_files_a_commit_touches(touched: list[str], weight: float) -> None:
    assert prior_weight(touched, {"scripts/compile.sh"}) == weight


def test_a_commit_that_changes_nothing_is_part_of_the_one_before() -> None:
    found = merge_same_trees(commits("abbc"))
    assert names(found) == ["c0", "c1", "c3"]
    assert found[1].same == ("c2",)


def test_a_change_and_its_revert_go_away() -> None:
    assert names(merge_same_trees(commits("abac"))) == ["c0", "c3"]


def test_of_a_change_applied_twice_the_second_one_stays() -> None:
    assert names(merge_same_trees(commits("abab"))) == ["c0", "c3"]


def test_a_range_that_ends_where_it_began_is_one_candidate() -> None:
    assert len(merge_same_trees(commits("abca"))) == 1


def test_the_side_of_a_merge_runs_from_its_first_parent_to_itself() -> None:
    first, *side, merge = commits("abcd")
    assert names(side_of_merge(first, side, merge)) == ["c0", "c1", "c2", "c3"]
