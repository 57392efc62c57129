import pytest

from perfgate.compiler.runtime import Background, RuntimeConfig, StreamPriority, TeaCache
from perfgate.core.errors import UsageError
from perfgate.core.setting import Setting

PLACE = "runtime.yaml:3:1"


def runtime(**keys: str) -> RuntimeConfig:
    return RuntimeConfig.from_settings(
        [Setting(name=name.replace("__", "."), value=value, place=PLACE) for name, value in keys.items()]
    )


def test_no_key_gives_the_documented_defaults() -> None:
    # SIMULATOR section 3: pageable memory, one stream, no cache, an arena as large as the plan.
    found = RuntimeConfig.from_settings([])
    assert found == RuntimeConfig()
    assert (found.streams, found.pinned_memory, found.memory_pool, found.tea_cache) == (1, False, 0, None)


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("2GiB", 2 << 30), ("512 MiB", 512 << 20), ("1.5k", 1500), ("7", 7), ("1kb", 1000)],
)
def test_sizes_tell_decimal_from_binary_units(text: str, size: int) -> None:
    assert runtime(memory_pool=text).memory_pool == size


def test_the_cache_reuses_iterations_6_12_and_18_of_28() -> None:
    # SIMULATOR section 3: ceil(0.2 * 28) = 6, floor(0.8 * 28) = 22, every sixth.
    cache = runtime(tea_cache="true").tea_cache
    assert cache == TeaCache()
    assert cache.reused(28) == (6, 12, 18)


def test_the_first_iteration_never_reuses() -> None:
    assert TeaCache(every=1, start=0.0, stop=1.0).reused(3) == (1, 2, 3)


def test_nested_keys_and_an_object_in_one_value_are_the_same() -> None:
    nested = runtime(tea_cache__every="3", tea_cache__from="0.1", tea_cache__to="0.9")
    assert nested == runtime(tea_cache='{"every": 3, "from": 0.1, "to": 0.9}')
    assert nested.tea_cache == TeaCache(every=3, start=0.1, stop=0.9)


def test_a_cache_that_is_off_is_no_cache() -> None:
    assert runtime(tea_cache="false") == RuntimeConfig()


def test_a_priority_without_other_work_says_that_it_changes_nothing() -> None:
    found = runtime(stream_priority="high")
    assert found.stream_priority is StreamPriority.HIGH
    assert "changes nothing" in found.notes[0]
    assert PLACE in found.notes[0]


@pytest.mark.parametrize("key", ["background", "background__priority", "background__kernel_us"])
def test_other_work_without_a_load_says_that_it_changes_nothing(key: str) -> None:
    found = runtime(**{key: "true"})
    assert found.background is None
    assert "changes nothing: background.load is absent" in found.notes[0]
    assert runtime(background="false").notes == ()


def test_a_priority_with_other_work_is_said_without_a_note() -> None:
    found = runtime(stream_priority="high", background__load="0.3", background__kernel_us="50")
    assert found.background == Background(load=0.3, kernel_us=50)
    assert found.notes == ()


def test_an_unknown_key_is_kept_with_its_place() -> None:
    (kept,) = runtime(log_level="debug").unhandled
    assert (kept.what, kept.place) == ("log_level", PLACE)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("memory_pool", "2 elephants"),
        ("memory_pool", "-1"),
        ("streams", "0"),
        ("streams", "many"),
        ("pinned_memory", "perhaps"),
        ("stream_priority", "urgent"),
        ("memory_pool", "9" * 400),
        ("background__load", "1.0"),
        ("background__load", "nan"),
        ("tea_cache__every", "0"),
        ("tea_cache__from", "2"),
        ("tea_cache", "{broken"),
    ],
)
def test_a_bad_value_is_one_error_that_names_key_and_place(key: str, value: str) -> None:
    with pytest.raises(UsageError) as caught:
        runtime(**{key: value})
    assert caught.value.where == PLACE
    assert key.split("__", maxsplit=1)[0] in caught.value.what


def test_a_cache_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(UsageError, match="`from` at or below `to`"):
        runtime(tea_cache__from="0.9", tea_cache__to="0.1")
