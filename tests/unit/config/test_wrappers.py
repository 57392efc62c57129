"""Programs found behind other programs, and the look-alikes that are none."""

from __future__ import annotations

import pytest

from perfgate.config.wrappers import WRAPPERS, find_wrapper
from tests.unit.config.shown import commands, facts

FOUND = {
    "sudo -u me -E A=1 atc --a": "atc --a",
    "env -i -u X A=1 B=2 atc --a": "atc --a",
    "timeout -s KILL 30m nice -n5 nohup atc --a": "atc --a",
    "taskset -c 0-3 atc --a": "atc --a",
    "numactl -N 0 --membind 0 atc --a": "atc --a",
    "stdbuf -oL atc --a": "atc --a",
    "/usr/bin/time -v atc --a": "atc --a",
    "strace -f -o log atc --a": "atc --a",
    "perf stat -e cycles -- atc --a": "atc --a",
    "nsys profile -o r --trace=cuda trtexec --a": "trtexec --a",
    "msprof --output=d atc --a": "atc --a",
    "mpirun -np 2 --map-by slot -mca a b atc --a": "atc --a",
    "srun -n 1 --gres gpu:1 atc --a": "atc --a",
    "sbatch --wrap 'atc --a'": "atc --a",
    "conda run -n e atc --a": "atc --a",
    "uv run --with x atc --a": "atc --a",
    "docker run --rm -it -v $PWD:/w --gpus all -e A=1 image:1 atc --a": "atc --a",
    "docker --context c run image atc --a": "atc --a",
    "docker container run image atc --a": "atc --a",
    "docker run --entrypoint trtexec image --a": "trtexec --a",
    "podman exec -it box sh -c 'atc --a'": "atc --a",
    "docker compose -f c.yml run --rm svc atc --a": "atc --a",
    "docker-compose exec -T svc atc --a": "atc --a",
    "kubectl -n x exec pod -c main -it -- atc --a": "atc --a",
    "kubectl run p --image=i --restart=Never -- atc --a": "atc --a",
    "singularity exec --nv image.sif atc --a": "atc --a",
    "ssh -p 22 me@host 'cd /w && atc --a'": "atc --a",
    "ssh host atc --a": "atc --a",
    "ssh host <<E\natc --a\nE": "atc --a",
    "su - me -c 'atc --a'": "atc --a",
    "flock f -c 'atc --a'": "atc --a",
    "flock -n f atc --a": "atc --a",
    "watch -n 5 atc --a": "atc --a",
    "hyperfine -w 3 'atc --a'": "atc --a",
    "xargs -0 -n1 trtexec --a": "trtexec --a ...",
    "xargs -I{} atc --a={}": "atc --a=?",
    "find . -exec atc --a={} \\;": "atc --a=?",
    "find . -exec sh -c 'atc --a=$1' _ {} \\;": "atc --a=?",
    "parallel -j2 atc --a={} --b={/.} ::: x y": "atc --a=? --b=?",
    "parallel trtexec --a ::: x": "trtexec --a ...",
    "bash -euo pipefail -c 'atc --a=$1' name x": "atc --a=x",
    'bash -lc "atc --a"': "atc --a",
    "bash -s <<E\natc --a\nE": "atc --a",
    "bash <<< 'atc --a'": "atc --a",
    "cat <<E | sudo bash\natc --a\nE": "atc --a",
    "echo 'atc --a' | sh": "atc --a",
    "printf '%s\\n' 'atc --a' | sh": "atc --a",
    "bash tools/env.sh atc --a": "atc --a",
    "./in_env.sh --gpu 0 atc --a": "atc --a",
    "bash atc_convert.sh --a": "atc --a",
    "python3 -W ignore -m tvm.driver.tvmc compile --a": "tvmc --a",
    "python /opt/mo.py --input_model m": "mo --input_model=m",
    '"$PYTHON" -m tvm.driver.tvmc --a': "tvmc --a",
    "$SUDO atc --a": "atc --a",
    "$HOME/bin/atc --a": "atc --a",
    "atc.exe --a": "atc --a",
    "vai_c_xir -x m": "vai_c --xmodel=m",
    "trap 'atc --a' EXIT": "atc --a",
    "exec -a n atc --a": "atc --a",
    "coproc atc --a": "atc --a",
    "cmake -E env A=1 atc --a": "atc --a",
    "diff <(atc --a) x": "atc --a",
    "x=$(atc --a)": "atc --a",
    'echo "`atc --a`"': "atc --a",
    '[ -n "$(atc --a)" ]': "atc --a",
    "! atc --a": "atc --a",
    "time -p atc --a": "atc --a",
    "trtexec `# why` --a": "trtexec --a",
    "trtexec --a $(: nothing) --b": "trtexec --a --b ...",
}
NOT_FOUND = (
    "command -v atc",
    "type -a atc",
    "which atc --a",
    "echo atc --a",
    "/bin/cat atc --a",
    "grep -- atc --a",
    "/usr/bin/man atc --a",
    "sudo apt-get install atc --yes",
    "docker build -t atc --pull .",
    "docker pull atc --quiet",
    "git -C atc log --oneline",
    "matc --a; atc_log --a; atc.py --a; trtexec.sh --a",
    "alias x='atc --a'",
    "x='atc --a'; x=(atc --a); atc=1",
    "find . -name atc --a",
    "case atc in atc) ;; esac",
    "cat <<E\natc --a\nE",
    "python3 - <<E\natc --a\nE",
    "python3 -c 'atc --a'",
    "xargs grep atc --a",
    "./run.sh atc",
    ": atc --a",
    "bash -n script",
    "for atc in a; do :; done",
    "function atc_help() { :; }",
)


@pytest.mark.parametrize(("script", "wanted"), FOUND.items(), ids=FOUND)
def test_the_command_behind_a_wrapper_is_found(script: str, wanted: str) -> None:
    assert commands(script) == [wanted]


@pytest.mark.parametrize("script", NOT_FOUND, ids=NOT_FOUND)
def test_a_look_alike_is_not_reported(script: str) -> None:
    assert commands(script) == []


def test_wrappers_are_named_from_the_outside_in() -> None:
    (command,) = facts("sudo -n timeout 5 docker exec -i b bash -c 'atc --a'").commands
    assert command.via == ("sudo", "timeout", "docker exec", "bash")


def test_a_child_shell_sees_exported_variables_only() -> None:
    assert commands("A=1; export B=2; bash -c 'atc --a=$A --b=$B'") == ["atc --a=? --b=2"]


def test_another_machine_sees_none() -> None:
    assert commands("export B=2; ssh h 'atc --b=$B'; docker exec c sh -c 'atc --c=$B'") == [
        "atc --b=?",
        "atc --c=?",
    ]


def test_every_key_leads_to_its_own_wrapper() -> None:
    for key in WRAPPERS:
        words = tuple(key.split())
        assert find_wrapper((*words, "x"), words[0]) == (key, len(words))
