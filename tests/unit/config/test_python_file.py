"""Python files; a value counts as known only where running the file could give no other."""

from __future__ import annotations

from tests.unit.config.described import facts_of


def python(*lines: str) -> list[str]:
    return facts_of("x.py", "\n".join(("import os, shlex, subprocess, sys", *lines)))


def test_ways_of_writing_a_list() -> None:
    assert python(
        "BASE = {'--a': '1', '--b': 2}",
        "flags = [f'{k}={v}' for k, v in BASE.items()]",
        "cmd = ['atc', *flags] + ['--c=' + str(3)]",
        "cmd.insert(1, '--d={}'.format(4))",
        "cmd += ['--e=%s' % 'x'] if sys.argv else []",
        "subprocess.run(cmd + list(sys.argv))",
    ) == ["4:9 atc --d=4 --a=1 --b=2 --c=3 ~--e=x ..."]


def test_branches_loops_and_early_ends() -> None:
    assert python(
        "def f(kind, models):",
        "    if kind == 1:",
        "        fmt = 'A'",
        "    elif kind == 2:",
        "        raise ValueError('atc --no=1')",
        "    else:",
        "        fmt = 'B'",
        "    cmd = ['atc', '--f=' + fmt]",
        "    for x in (1, 2):",
        "        cmd.append(f'--x{x}=1')",
        "    for m in models:",
        "        cmd.append(m)",
        "    subprocess.check_call(cmd)",
        "for soc in ('C', 'D'):",
        "    os.system(f'atc --s={soc}')",
    ) == ["9:13 atc ~--f={A|B} --x1=1 --x2=1 ...", "16:17 atc ~--s={C|D}"]


def test_parameters_are_unknown_and_their_defaults_replaceable() -> None:
    assert python(
        "def f(a, b='B', *rest, c=None):",
        "    subprocess.run(['atc', f'--a={a}', f'--b={b}', f'--c={c}', *rest])",
        "f('x', 'y')",
    ) == ["3:22 atc --a=? ~--b=B --c=? ..."]


def test_helpers_that_run_what_they_are_given() -> None:
    assert python(
        "def sh(text, **kw):",
        "    print('+', text)",
        "    return subprocess.run(text, shell=True, **kw)",
        "def both(*args):",
        "    subprocess.call(list(args))",
        "def model(name):",
        "    return f'--model={name}.onnx'",
        "ATC = '/opt/atc'",
        "sh(f'{ATC} --a=1')",
        "both('trtexec', '--onnx=y', model('z'))",
        "text = 'atc --no=1'",
    ) == ["10:6 atc --a=1", "11:7 trtexec --onnx=y --model=z.onnx"]


def test_attributes_of_a_class() -> None:
    assert python(
        "class C:",
        "    fmt = 'ND'",
        "    def __init__(self, n):",
        "        self.cmd = ['atc', '--n=1']",
        "        self.n = n",
        "    def go(self):",
        "        subprocess.run([*self.cmd, f'--f={self.fmt}', f'--n={self.n}'])",
        "    def more(self):",
        "        self.fmt = 'x'",
    ) == ["5:22 atc --n=1 --f=? --n=?", "8:57 note repeated-flag"]


def test_shells_inside_lists_and_variables_handed_on() -> None:
    assert python(
        "os.environ['F'] = 'ND'",
        "os.system('atc --f=$F')",
        "subprocess.run(['sh', '-c', 'atc --x=$X'], env={**os.environ, 'X': '1', 'XLA_FLAGS': '--a=1'})",
        "subprocess.run([sys.executable, '-m', 'tvm.driver.tvmc', 'compile', '--target=llvm'])",
        "subprocess.run(' '.join(['atc', '--j=' + shlex.quote('a b')]), shell=True)",
        "os.execvp('atc', ['atc', '--e=1'])",
    ) == [
        "3:12 atc --f=ND",
        "4:30 atc --x=1",
        "4:74 XLA_FLAGS set --a=1",
        "5:40 tvmc --target=llvm",
        "6:27 atc --j=a b",
        "7:12 atc --e=1",
    ]


def test_settings_add_to_themselves_or_are_defaults() -> None:
    assert python(
        "os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --a=1'",
        "os.environ['XLA_FLAGS'] = f\"{os.environ['XLA_FLAGS']} --b=2\"",
        "os.environ['TF_XLA_FLAGS'] = os.getenv('TF_XLA_FLAGS', '--c=3')",
        "os.environ.update(LIBTPU_INIT_ARGS='--d=4')",
        "def test(monkeypatch):",
        "    monkeypatch.setenv('XLA_FLAGS', '--e=5')",
        "print(os.environ.get('XLA_FLAGS', '--no=1'))",
    ) == [
        "2:13 XLA_FLAGS append --a=1",
        "3:13 XLA_FLAGS append --b=2",
        "4:13 TF_XLA_FLAGS default ~--c=3",
        "5:19 LIBTPU_INIT_ARGS set --d=4",
        "7:25 XLA_FLAGS set --e=5",
    ]


def test_torch_compile_by_any_name() -> None:
    text = (
        "import torch as t\nfrom torch import compile as tc\n"
        "opts = {'mode': 'default', 'options': {'a.b': 1}}\n"
        "x = t.compile(x, **opts)\ny = tc(y, dynamic=z, **more)\n@t.compile\ndef f(): pass\n"
        "@tc(fullgraph=True)\ndef g(): pass\nre.compile('x')\n"
    )
    assert facts_of("x.py", text) == [
        "4:5 torch.compile mode=default options.a.b=1",
        "5:5 torch.compile dynamic=? ...",
        "6:2 torch.compile",
        "8:2 torch.compile fullgraph=True",
    ]


def test_strings_that_nobody_runs_are_no_commands() -> None:
    assert (
        python(
            "text = 'atc --no=1'",
            "print('atc --no=2')",
            "args = ['atc', '--no=3']",
            "subprocess.run('atc --no=4')  # without a shell this is the name of a program",
            "log.run('atc --no=5')",
        )
        == []
    )


def test_a_file_that_python_cannot_read_is_incomplete() -> None:
    assert facts_of("x.py", "print 'atc'\n") == ["1:1 note syntax-error"]


def test_what_stands_before_a_conflict_counts() -> None:
    text = (
        "import subprocess\nsubprocess.run(['atc', '--a=1'])\ndef f():\n    subprocess.run([\n"
        "        'atc',\n<<<<<<< HEAD\n        '--no=1',\n=======\n>>>>>>> x\n    ])\n"
    )
    assert facts_of("x.py", text) == ["2:18 atc --a=1", "6:1 note conflict-markers"]
