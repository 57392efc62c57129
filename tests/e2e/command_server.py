"""A process that has perfgate and its libraries imported and forks once for every command it is asked for.

A command of the end-to-end tests spends two thirds of its processor time on imports. Each still is a process
of its own, with its own folder, environment, output and exit code; only the interpreter's start and its
tear-down of imported modules are left out. Run as a program: one request a line on standard input, one exit
code a line on standard output.
"""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import runpy
import sys

# What the verbs import when they need it.
LIBRARIES = (
    "codeowners",
    "filelock",
    "git",
    "numpy",
    "onnx",
    "pytest",
    "rich",
    "scipy.special",
    "scipy.stats",
    "yaml",
)
# pytest warns of a plugin that was imported before pytest could rewrite its asserts.
LEFT_TO_PYTEST = "perfgate.pytest_plugin"


def import_everything() -> None:
    """All modules of perfgate but its plugin, and the libraries that they load late."""
    import perfgate  # noqa: PLC0415 - only the server pays for it

    for library in LIBRARIES:
        importlib.import_module(library)
    for found in pkgutil.walk_packages(perfgate.__path__, "perfgate."):
        if not found.name.startswith(LEFT_TO_PYTEST):
            importlib.import_module(found.name)


def run(words: list[str], folder: str, environment: dict[str, str], out: str, err: str) -> None:
    """Become the command: in its folder, with its environment, its output in files; it ends the process."""
    for number, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words
    sys.path[0] = os.path.dirname(words[0])  # noqa: PTH120 - what the interpreter puts there: a string
    runpy.run_path(words[0], run_name="__main__")


def serve() -> None:
    """A fork for every request until nobody asks any more."""
    import_everything()
    gc.freeze()  # a collection in a fork would copy every page of what is imported
    answers = os.fdopen(os.dup(1), "w", buffering=1)  # not inherited by what a command starts
    for line in sys.stdin:
        command = multiprocessing.get_context("fork").Process(target=run, kwargs=json.loads(line))
        command.start()
        command.join()
        print(command.exitcode, file=answers)


if __name__ == "__main__":
    serve()
