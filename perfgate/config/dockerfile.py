"""Dockerfiles: RUN, CMD, ENTRYPOINT, HEALTHCHECK with the ENV and ARG of their stage.

The exec form expands nothing. Of several CMD or ENTRYPOINT of a stage only the last counts, and ENTRYPOINT
and CMD in exec form are one command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from perfgate.config.docker_instructions import Instruction, instructions_of
from perfgate.config.docker_text import assigned_words, exec_words
from perfgate.config.found import Found, merged
from perfgate.config.programs import base_name
from perfgate.config.python_file import read_python_text
from perfgate.config.readers import interpreter_of
from perfgate.config.running import run_pieces, run_words, unsupported_shell
from perfgate.config.setting_pairs import pair_settings, replaceable
from perfgate.config.words import Atom, Word, known_word
from perfgate.config.wrappers import PYTHONS, SHELLS

if TYPE_CHECKING:
    from perfgate.config.spans import Placed, Source

    Variables = dict[str, tuple[Atom, ...]]

_RUN_OPTIONS = re.compile(r"(?:\s*--[a-z][\w-]*=\S+)*\s*")
_HEALTH_OPTIONS = re.compile(r"(?:\s*--[a-z][\w-]*=\S+)*\s*(?:CMD\b|NONE\b)?\s*", re.IGNORECASE)
_SCRIPT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1\s*$")
_FROM = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class _Stage:
    """What holds at one point of a stage.

    `last` are the CMD, ENTRYPOINT and HEALTHCHECK that count so far, `own` those given by this stage itself.
    """

    env: Variables = field(default_factory=dict)
    arguments: Variables = field(default_factory=dict)
    last: dict[str, Instruction] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    shell: str = "sh"
    name: str = ""

    def following(self, name: str) -> _Stage:
        """A stage that is built from this one."""
        return _Stage(
            env=dict(self.env),
            arguments=dict(self.arguments),
            last=dict(self.last),
            shell=self.shell,
            name=name,
        )

    @property
    def variables(self) -> Variables:
        """ENV wins over ARG."""
        return self.arguments | self.env


def read_dockerfile(source: Source) -> Found:
    """The facts of a Dockerfile."""
    reader = _Reader(source)
    for instruction in instructions_of(source):
        reader.take(instruction)
    reader.end_stage()
    return merged(reader.found)


class _Reader:
    """Goes through the instructions, stage by stage."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._globals: Variables = {}
        self._stages: dict[str, _Stage] = {}
        self._stage = _Stage()
        self._has_stage = False
        self.found: list[Found] = []

    def take(self, instruction: Instruction) -> None:
        """Reads one instruction."""
        method = {
            "FROM": self._from,
            "ARG": self._arg,
            "ENV": self._env,
            "SHELL": self._shell,
            "RUN": self._run,
            "HEALTHCHECK": self._keep,
            "CMD": self._keep,
            "ENTRYPOINT": self._keep,
            "ONBUILD": self._onbuild,
        }.get(instruction.keyword)
        if method is not None:
            method(instruction)

    def end_stage(self) -> None:
        """Reads what the stage runs when its container starts, unless its parent does the same."""
        stage = self._stage
        check = stage.last.get("HEALTHCHECK") if "HEALTHCHECK" in stage.own else None
        if check is not None:
            match = _HEALTH_OPTIONS.match(check.text.text)
            self._any_form(check.text.cut(match.end() if match else 0, len(check.text)), stage.env)
        if not stage.own & {"CMD", "ENTRYPOINT"}:
            return
        entrypoint, command = stage.last.get("ENTRYPOINT"), stage.last.get("CMD")
        start = exec_words(entrypoint.text) if entrypoint is not None else ()
        if entrypoint is not None and start is None:
            self._shell_text(entrypoint.text, stage.env)
        elif start or command is not None:
            self._start(start or (), command)

    def _start(self, start: tuple[Word, ...], command: Instruction | None) -> None:
        rest = exec_words(command.text) if command is not None else ()
        if command is not None and rest is None:
            if not start:
                self._shell_text(command.text, self._stage.env)
                return
            place = command.text.cut(0, 0)
            shell = (known_word(place.standing_for("/bin/sh")), known_word(place.standing_for("-c")))
            rest = (*shell, known_word(command.text))
        self.found.append(run_words((*start, *(rest or ())), self._stage.env, context=self._stage.name))

    def _from(self, instruction: Instruction) -> None:
        if self._has_stage:
            self.end_stage()
        self._has_stage = True
        match = _FROM.match(instruction.text.text.strip())
        base, name = (match[1], match[2] or "") if match else ("", "")
        parent = self._stages.get(base.lower(), _Stage())
        self._stage = parent.following(name)
        self._stages[str(len(self._stages))] = self._stage
        if name:
            self._stages[name.lower()] = self._stage

    def _arg(self, instruction: Instruction) -> None:
        text = instruction.text
        if "=" not in text.text:
            for name in text.text.split():
                self._stage.arguments[name] = self._globals.get(name, (Atom(text=None, source=name),))
            return
        for place, atoms in assigned_words(text, self._stage.variables, instruction.escape):
            value = replaceable(atoms, place.text, place)
            self._stage.arguments[place.text] = value
            if not self._has_stage:
                self._globals[place.text] = value

    def _env(self, instruction: Instruction) -> None:
        # a watched variable in its own new value is left unknown: such a setting adds to it
        watched = self._source.watch.variables
        variables = {name: atoms for name, atoms in self._stage.variables.items() if name not in watched}
        pairs = assigned_words(instruction.text, variables, instruction.escape)
        self.found.extend(pair_settings(pairs))
        self._stage.env |= {name.text: atoms for name, atoms in pairs}

    def _shell(self, instruction: Instruction) -> None:
        words = exec_words(instruction.text) or ()
        self._stage.shell = base_name(words[0].text or "") if words else self._stage.shell

    def _keep(self, instruction: Instruction) -> None:
        stage = self._stage
        if instruction.keyword == "ENTRYPOINT" and "CMD" not in stage.own:
            stage.last.pop("CMD", None)  # the parent's CMD was for the parent's ENTRYPOINT
        stage.last[instruction.keyword] = instruction
        stage.own.add(instruction.keyword)

    def _onbuild(self, instruction: Instruction) -> None:
        inner = instruction.inner()
        if inner is not None and inner.keyword in {"RUN", "ENV"}:
            self.take(inner)

    def _run(self, instruction: Instruction) -> None:
        match = _RUN_OPTIONS.match(instruction.text.text)
        text = instruction.text.cut(match.end() if match else 0, len(instruction.text))
        script = _SCRIPT.fullmatch(text.text)
        if script is not None and instruction.heredocs:
            self._script(instruction.heredocs[0])
        elif instruction.heredocs and exec_words(text) is None:
            self._shell_text(instruction.with_heredocs(text), self._stage.variables)
        else:
            self._any_form(text, self._stage.variables)

    def _script(self, body: Placed) -> None:
        program = interpreter_of(body.text.split("\n", 1)[0])
        if program in PYTHONS:
            self.found.append(read_python_text(body))
        elif not program or program in SHELLS:
            self._shell_text(body, self._stage.variables)

    def _any_form(self, text: Placed, variables: Variables) -> None:
        words = exec_words(text)
        if words is None:
            self._shell_text(text, variables)
        else:
            self.found.append(run_words(words, variables, context=self._stage.name))

    def _shell_text(self, text: Placed, variables: Variables) -> None:
        if self._stage.shell in SHELLS:
            self.found.append(run_pieces([text], variables, context=self._stage.name))
        else:
            self.found.append(unsupported_shell(text, self._stage.shell))
