from pathlib import Path

import msgspec

from perfgate.compiler.cache import CompileCache, cache_key, compile_cached
from perfgate.compiler.compilation import compile_graph
from perfgate.compiler.config import CompileConfig
from perfgate.compiler.program import Program, Unhandled
from perfgate.compiler.runtime import RuntimeConfig
from perfgate.graph.ir import Graph
from tests.graphs import Drawing, device


def graph() -> Graph:
    draw = Drawing()
    draw.add("Relu", [draw.conv(draw.input("x", 1, 32, 25, 41), "conv", 32)], "out")
    return draw.graph("out")


def key(
    config: CompileConfig | None = None, runtime: RuntimeConfig | None = None, on: str = "ascend-310p-like"
) -> str:
    return cache_key(graph(), config or CompileConfig(), runtime or RuntimeConfig(), device(on))


def test_the_second_compilation_is_a_hit_with_an_equal_program(tmp_path: Path) -> None:
    cache, config = CompileCache(tmp_path), CompileConfig(layout="NCHW")
    first = compile_cached(graph(), config, RuntimeConfig(), device(), cache=cache)
    second = compile_cached(graph(), config, RuntimeConfig(), device(), cache=cache)
    assert (first.is_hit, second.is_hit) == (False, True)
    assert first.program == second.program
    assert second.program.digest == key(config)


def test_everything_that_a_program_depends_on_is_in_the_key() -> None:
    keys = {
        key(),
        key(CompileConfig(layout="NCHW")),
        key(CompileConfig(unhandled=(Unhandled("--sparsity", "a.sh:1:1", "no"),))),
        key(CompileConfig(disabled_passes=frozenset({"cse"}))),
        key(runtime=RuntimeConfig(streams=2)),
        key(on="a100-like"),
    }
    assert len(keys) == 6


def test_the_key_does_not_depend_on_the_order_of_a_set() -> None:
    names = [f"n{number}" for number in range(50)]
    forwards = key(CompileConfig(quantise_exclude=frozenset(names)))
    assert forwards == key(CompileConfig(quantise_exclude=frozenset(reversed(names))))


def test_a_damaged_file_is_not_believed(tmp_path: Path) -> None:
    cache = CompileCache(tmp_path)
    compile_cached(graph(), CompileConfig(), RuntimeConfig(), device(), cache=cache)
    (file,) = tmp_path.glob("*.json")
    file.write_bytes(file.read_bytes().replace(b'"Relu"', b'"Tanh"'))
    again = compile_cached(graph(), CompileConfig(), RuntimeConfig(), device(), cache=cache)
    assert not again.is_hit


def test_a_file_of_another_form_is_compiled_again(tmp_path: Path) -> None:
    import hashlib  # noqa: PLC0415 - only here

    payload = b'{"name": 3}'
    (tmp_path / f"{key()}.json").write_bytes(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
    assert CompileCache(tmp_path).get(key()) is None


def test_a_program_survives_json() -> None:
    program = compile_graph(graph(), CompileConfig(layout="NCHW"), RuntimeConfig(), device())
    assert msgspec.json.decode(msgspec.json.encode(program), type=Program) == program
