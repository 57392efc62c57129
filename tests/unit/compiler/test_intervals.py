from perfgate.compiler.intervals import IntervalIndex, best_gap


def test_only_blocks_that_live_at_the_same_time_are_found() -> None:
    index = IntervalIndex([(0, 3), (4, 9), (2, 5), (3, 3)])
    for member, low in ((0, 0), (1, 100), (2, 200)):
        index.add(member, (low, low + 50))
    assert index.overlapping(3) == [(0, 50), (200, 250)]


def test_long_and_short_lives_find_each_other() -> None:
    index = IntervalIndex([(0, 1000), (500, 500), (999, 1001)])
    index.add(0, (0, 10))
    assert index.overlapping(1) == [(0, 10)]
    index.add(1, (10, 20))
    assert set(index.overlapping(2)) == {(0, 10)}


def test_the_smallest_gap_wins_and_the_lowest_of_equals() -> None:
    # Gaps: 0-10, 20-25, 30-35, then the open end at 40.
    blocks = [(10, 20), (25, 30), (35, 40)]
    assert best_gap(blocks, 5) == 20
    assert best_gap(blocks, 8) == 0
    assert best_gap(blocks, 11) == 40


def test_blocks_inside_others_hide_no_gap_and_make_none() -> None:
    assert best_gap([(0, 100), (10, 20), (50, 60)], 5) == 100
