"""CMake files; the values of the first test are what cmake 3 handed to stand-ins that record arguments."""

from __future__ import annotations

from tests.unit.config.described import facts_of

LISTS = """\
find_program(ATC NAMES atc atc.bin)
set(LIST "--a=1;--b=2")
list(APPEND LIST --c=3 "--d=4 5")
list(PREPEND LIST --z=0)
string(APPEND TXT "--t=" "1")
set(MODELS ibis;kite)
foreach(m IN LISTS MODELS ITEMS x)
  list(APPEND MFLAGS --m=${m})
endforeach()
add_custom_target(om ALL
  COMMAND ${ATC} ${LIST} "--q=${LIST}" ${TXT} --esc=a\\;b --w="x y"
  COMMAND ${ATC} ${MFLAGS} [[--raw=${SOC}]]
  VERBATIM)
"""


def test_lists_become_the_words_that_cmake_passes() -> None:
    found = [line for line in facts_of("CMakeLists.txt", LISTS) if "note" not in line]
    listed = "--z=0;--a=1;--b=2;--c=3;--d=4 5"
    assert found == [
        f'11:11 atc --z=0 --a=1 --b=2 --c=3 --d=4 5 --q={listed} --t=1 --esc=a;b --w="x y"',
        "12:11 atc --m=ibis --m=kite --m=x --raw=${SOC}",
    ]


def test_inside_a_loop_the_variable_stands_for_all_its_values() -> None:
    text = "foreach(m heron swan)\n execute_process(COMMAND atc --model=${m}.onnx)\nendforeach()\n"
    assert facts_of("x.cmake", text) == ["2:26 atc ~--model={heron.onnx|swan.onnx}"]


def test_a_cache_entry_is_a_default_unless_it_is_forced() -> None:
    text = (
        'set(A 1 CACHE STRING "")\nset(B 2 CACHE STRING "" FORCE)\noption(C "" ON)\n'
        "add_test(NAME t COMMAND atc --a=${A} --b=${B} --c=${C} --d=$ENV{D})\n"
    )
    assert facts_of("x.cmake", text) == ["4:25 atc ~--a=1 --b=2 ~--c=ON --d=?"]


def test_generator_expressions_and_arms_are_maybe() -> None:
    text = (
        "if(X)\n set(F NCHW)\nelse()\n set(F ND)\nendif()\n"
        "add_custom_command(OUTPUT o COMMAND atc --f=${F} $<$<CONFIG:Debug>:--d=1> $<$<BOOL:${Y}>:--y=2>)\n"
    )
    assert facts_of("x.cmake", text) == ["6:37 atc ~--f={NCHW|ND} ~--d=1 ~--y=2"]


def test_functions_have_unknown_parameters_and_open_rests() -> None:
    text = (
        "function(conv name)\n"
        " add_custom_target(t COMMAND ${CMAKE_COMMAND} -E env XLA_FLAGS=--x=1 atc --m=${name} ${ARGN})\n"
        "endfunction()\nconv(heron --e=1)\n"
    )
    assert facts_of("x.cmake", text) == ["2:54 XLA_FLAGS set --x=1", "2:70 atc --m=? ..."]


def test_links_and_redirections_of_custom_commands_are_no_arguments() -> None:
    text = "add_custom_target(t cd x && atc --a=1 > log && trtexec --onnx=y)\n"
    assert facts_of("x.cmake", text) == ["1:29 atc --a=1", "1:48 trtexec --onnx=y"]


def test_tests_have_settings() -> None:
    text = 'set_tests_properties(t PROPERTIES ENVIRONMENT "XLA_FLAGS=--a=1 --b=2;X=1")\n'
    assert facts_of("x.cmake", text) == ["1:48 XLA_FLAGS set --a=1 --b=2"]


def test_what_stands_before_a_broken_call_counts() -> None:
    text = "execute_process(COMMAND atc --a=1)\nset(X \n"
    assert facts_of("x.cmake", text) == ["1:25 atc --a=1", "2:5 note syntax-error"]
