from __future__ import annotations

import pytest

from perfgate.core.setting import of_stage, stage_and_key, stage_of


@pytest.mark.parametrize("flag", ["--optypelayout", "memory_pool", "a.b"])
def test_a_flag_of_a_stage_is_told_apart_from_one_of_all(flag: str) -> None:
    assert stage_of(of_stage("camera.detect", flag)) == ("camera.detect", flag)
    assert stage_of(flag) == ("", flag)


def test_the_last_word_of_a_setting_is_its_key() -> None:
    assert stage_and_key("camera.detect.priority") == ("camera.detect", "priority")
    assert stage_and_key("period") == ("", "period")
