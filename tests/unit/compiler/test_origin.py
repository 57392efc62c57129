import pytest

from perfgate.compiler.origin import SourceCode


def test_the_published_vector_packs_to_its_number() -> None:
    # File 0x042, line 1337 = 0x00539, column 15 = 0x0F, flag 0x01: 042 00539 0F 01 (SEED_FEATURES A131).
    assert SourceCode(0x042, 1337, 15, 0x01).pack() == 0x042005390F01


def test_the_published_number_unpacks_to_its_parts() -> None:
    assert SourceCode.unpack(0x042005390F01) == SourceCode(0x042, 1337, 15, 0x01)


def test_a_column_beyond_its_bits_is_stored_as_the_largest() -> None:
    assert SourceCode.unpack(SourceCode(1, 2, 300).pack()).column == 255


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (SourceCode(1 << 12, 1), "file"),
        (SourceCode(1, 1 << 20), "line"),
        (SourceCode(1, 1, 1, 1 << 8), "flags"),
        (SourceCode(-1, 1), "file"),
        (SourceCode(1, 1, -1), "column"),
    ],
)
def test_a_part_that_does_not_fit_raises_with_its_name(code: SourceCode, name: str) -> None:
    with pytest.raises(OverflowError, match=name):
        code.pack()


@pytest.mark.parametrize("number", [-1, 1 << 48])
def test_a_number_of_more_than_48_bits_is_refused(number: int) -> None:
    with pytest.raises(OverflowError):
        SourceCode.unpack(number)
