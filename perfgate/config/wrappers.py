"""Programs that run another program: their options, and where the wrapped command begins.

Plain Python rather than YAML, because every file with a hit needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

WORDS = "words"  # the rest are the words of the wrapped command
TEXT = "text"  # the rest, joined by blanks, is shell text
TEXTS = "texts"  # each of the rest is shell text


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """How to find the wrapped command.

    `values` are the options that take the next word, or with `values_unless` all but these do. `skip` words
    come before the command (a host, an image, a duration). `assigns`: `NAME=value` words come before it.
    `text_option` is the option whose value is shell text. `env_options` set a variable (`docker run -e`).
    `lookups` are options that make it a question about a program. `after_dashes`: the command begins after
    `--` if there is one. `mixed`: options may also follow the skipped words. `inherits`: it sees the
    variables of this shell.
    """

    values: frozenset[str] = frozenset()
    values_unless: frozenset[str] | None = None
    skip: int = 0
    assigns: bool = False
    then: str = WORDS
    text_option: frozenset[str] = frozenset()
    env_options: frozenset[str] = frozenset()
    lookups: frozenset[str] = frozenset()
    after_dashes: bool = False
    mixed: bool = False
    inherits: bool = True


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DOCKER_BARE = _names(
    "-d -i -t -P -q --detach --interactive --tty --rm --privileged --init --read-only --no-healthcheck "
    "--publish-all --quiet --oom-kill-disable --sig-proxy --disable-content-trust --use-aliases --no-deps "
    "--service-ports --build --remove-orphans --no-TTY -T --quiet-pull --no-trunc --replace --rmi "
    "--tls-verify"
    "--quiet-build --help"
)
_DOCKER_ENV = _names("-e --env")
_CONTAINER_RUN = Wrapper(values_unless=_DOCKER_BARE, skip=1, env_options=_DOCKER_ENV, inherits=False)
_KUBECTL = Wrapper(
    values=_names(
        "-n --namespace -c --container --context --kubeconfig -f --filename --cluster --user --image"
    ),
    skip=1,
    after_dashes=True,
    mixed=True,
    inherits=False,
)
_CONDA = Wrapper(values=_names("-n --name -p --prefix --cwd"))
_PACKAGE_RUN = Wrapper(
    values=_names(
        "--with --python -p --extra --group --env-file --project --directory --package --index -e "
        "--environment --manifest-path -C --only-group --with-requirements"
    )
)
_APPTAINER = Wrapper(
    values=_names(
        "-B --bind -H --home -W --workdir -S --scratch --env-file --pwd --overlay --nv-devices --cwd"
    ),
    skip=1,
    env_options=frozenset({"--env"}),
)
_SRUN = Wrapper(
    values=_names(
        "-n -N -c -p -t -J -w -A -G -o -e -D -q -x -C --ntasks --nodes --cpus-per-task --partition --time "
        "--job-name --nodelist --account --gpus --gres --output --error --mem --qos --exclude --constraint "
        "--ntasks-per-node --gpus-per-node --gpus-per-task --container-image --container-mounts --chdir "
        "--container-workdir --cpu-bind --mpi --distribution --reservation"
    ),
    env_options=frozenset({"--export"}),
)
_MPI = Wrapper(
    values=_names(
        "-n -np -H -c -N -host --host -hostfile --hostfile -machinefile --map-by -map-by --bind-to -bind-to "
        "--rank-by -wdir --wdir -wd --prefix -output-filename --output-filename --np -env --npernode "
        "-npernode"
    ),
    env_options=frozenset({"-x"}),
)
_SHELL_OPTION = frozenset({"-c", "--command"})
_TRACER = Wrapper(values=_names("-e -o -p -s -u -E -a -b -O -S -P -I -X -n -l -x -F -A"))
_COMPOSE = Wrapper(values_unless=_DOCKER_BARE, skip=1, env_options=_DOCKER_ENV, inherits=False)
_PERF = Wrapper(
    values=_names(
        "-e -o -p -t -F -c -C -r -I -D -G -u -m -x --event --output --call-graph --repeat --freq --cpu"
    )
)
_NVIDIA_PROFILER = Wrapper(
    values=_names(
        "-o -t -c -w -s -f -e -d -y -x -k --output --trace --sample --force-overwrite --delay --duration "
        "--kernel-name --launch-count --launch-skip --metrics --set --section --target-processes "
        "--stats --export"
    )
)
_CMAKE_ENV = Wrapper(values=_names("--unset --modify"), assigns=True)

WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        values=_names(
            "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --close-from --role "
            "--type --chdir"
            "--chroot --command-timeout --other-user"
        ),
        assigns=True,
    ),
    "doas": Wrapper(values=_names("-u -C"), assigns=True),
    "env": Wrapper(
        values=_names("-u -C --unset --chdir"), assigns=True, text_option=_names("-S --split-string")
    ),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "nice": Wrapper(values=_names("-n --adjustment")),
    "ionice": Wrapper(values=_names("-c -n -p -P -u --class --classdata --pid")),
    "chrt": Wrapper(values=_names("-T -P -D -p"), skip=1),
    "time": Wrapper(values=_names("-f -o --format --output")),
    "timeout": Wrapper(values=_names("-k -s --kill-after --signal"), skip=1),
    "stdbuf": Wrapper(values=_names("-i -o -e --input --output --error")),
    "taskset": Wrapper(skip=1),
    "numactl": Wrapper(
        values=_names(
            "-N -C -m -i -p -P -w --cpunodebind --physcpubind --membind --interleave --preferred "
            "--preferred-many --weighted-interleave"
        )
    ),
    "command": Wrapper(lookups=_names("-v -V")),
    "builtin": Wrapper(),
    "exec": Wrapper(values=_names("-a")),
    "coproc": Wrapper(),
    "strace": _TRACER,
    "ltrace": _TRACER,
    "valgrind": Wrapper(),
    "gdb": Wrapper(values=_names("-ex -x -iex -batch-command"), after_dashes=True),
    "perf stat": _PERF,
    "perf record": _PERF,
    "perf trace": _PERF,
    "nsys profile": _NVIDIA_PROFILER,
    "nsys launch": _NVIDIA_PROFILER,
    "ncu": _NVIDIA_PROFILER,
    "nvprof": _NVIDIA_PROFILER,
    "msprof": Wrapper(values=_names("-o"), text_option=frozenset({"--application"})),
    "compute-sanitizer": Wrapper(values=_names("--tool --log-file")),
    "srun": _SRUN,
    "salloc": _SRUN,
    "sbatch": Wrapper(values=_SRUN.values, env_options=_SRUN.env_options, text_option=frozenset({"--wrap"})),
    "mpirun": _MPI,
    "mpiexec": _MPI,
    "orterun": _MPI,
    "horovodrun": Wrapper(values=_names("-np -H --num-proc --hosts -p")),
    "bsub": Wrapper(values=_names("-q -n -R -W -J -o -e -m -P -M -gpu -g"), then=TEXT),
    "qsub": Wrapper(values=_names("-q -N -l -o -e -P -pe -j -cwd")),
    "conda run": _CONDA,
    "mamba run": _CONDA,
    "micromamba run": _CONDA,
    "poetry run": _PACKAGE_RUN,
    "uv run": _PACKAGE_RUN,
    "uvx": _PACKAGE_RUN,
    "pdm run": _PACKAGE_RUN,
    "pipenv run": _PACKAGE_RUN,
    "pixi run": _PACKAGE_RUN,
    "hatch run": _PACKAGE_RUN,
    "rye run": _PACKAGE_RUN,
    "pipx run": _PACKAGE_RUN,
    "docker run": _CONTAINER_RUN,
    "docker create": _CONTAINER_RUN,
    "docker exec": Wrapper(
        values=_names("-u --user -w --workdir --detach-keys --env-file"),
        skip=1,
        env_options=_DOCKER_ENV,
        inherits=False,
    ),
    "docker compose run": _COMPOSE,
    "docker compose exec": _COMPOSE,
    "docker-compose run": _COMPOSE,
    "docker-compose exec": _COMPOSE,
    "nvidia-docker run": _CONTAINER_RUN,
    "lxc exec": Wrapper(skip=1, after_dashes=True, inherits=False),
    "enroot start": Wrapper(values=_names("-c -e -m --conf --env --mount"), skip=1, inherits=False),
    "kubectl exec": _KUBECTL,
    "kubectl run": _KUBECTL,
    "oc exec": _KUBECTL,
    "oc run": _KUBECTL,
    "singularity exec": _APPTAINER,
    "singularity run": _APPTAINER,
    "apptainer exec": _APPTAINER,
    "apptainer run": _APPTAINER,
    "ssh": Wrapper(
        values=_names("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B"),
        skip=1,
        then=TEXT,
        mixed=True,
        inherits=False,
    ),
    "sshpass": Wrapper(values=_names("-p -f -d")),
    "su": Wrapper(
        values=_names("-s -g -G -w --shell --group"), text_option=_SHELL_OPTION, skip=99, mixed=True
    ),
    "runuser": Wrapper(
        values=_names("-u -s -g -G --user --shell --group"), text_option=_SHELL_OPTION, after_dashes=True
    ),
    "script": Wrapper(values=_names("-I -O -B -o -E -T"), text_option=_SHELL_OPTION, skip=99, mixed=True),
    "flock": Wrapper(
        values=_names("-w -E --timeout --wait --conflict-exit-code"),
        text_option=_SHELL_OPTION,
        skip=1,
        mixed=True,
    ),
    "watch": Wrapper(values=_names("-n --interval -q"), then=TEXT),
    "hyperfine": Wrapper(
        values=_names(
            "-w -r -m -M -p -c -P -L -D -S -n -i -u --warmup --runs --min-runs --max-runs --setup --prepare "
            "--cleanup --conclude --parameter-scan --parameter-list --shell --export-json --export-csv "
            "--export-markdown --command-name --time-unit --input --output --style"
        ),
        then=TEXTS,
    ),
    "tmux new-session": Wrapper(values=_names("-s -n -c -x -y -t -e -F"), then=TEXTS),
    "tmux new": Wrapper(values=_names("-s -n -c -x -y -t -e -F"), then=TEXTS),
    "tmux send-keys": Wrapper(values=_names("-t -N"), then=TEXTS),
    "screen": Wrapper(values=_names("-S -c -s -t -h -L -e -p")),
    "chroot": Wrapper(values=_names("--userspec --groups"), skip=1),
    "unshare": Wrapper(),
    "nsenter": Wrapper(values=_names("-t --target -S -G"), after_dashes=True),
    "gosu": Wrapper(skip=1),
    "su-exec": Wrapper(skip=1),
    "tini": Wrapper(values=_names("-p -e"), after_dashes=True),
    "dumb-init": Wrapper(values=_names("-r --rewrite"), after_dashes=True),
    "systemd-run": Wrapper(values=_names("-p -u -E --property --unit --setenv -M -H --uid --gid --slice")),
    "xvfb-run": Wrapper(values=_names("-n -s -e -f -p -w --server-num --server-args --error-file")),
    "catchsegv": Wrapper(),
    "unbuffer": Wrapper(),
    "eatmydata": Wrapper(),
    "chronic": Wrapper(),
    "ccache": Wrapper(),
    "proxychains": Wrapper(values=_names("-f")),
    "proxychains4": Wrapper(values=_names("-f")),
    "retry": Wrapper(values=_names("-t -s -m -d -n --times --delay --until --max")),
    "dotenv": Wrapper(values=_names("-f --file"), after_dashes=True),
    "dbus-run-session": Wrapper(),
    "entr": Wrapper(),
    "cmake -E env": _CMAKE_ENV,
    "cmake -E time": Wrapper(),
    "cmake -E chdir": Wrapper(skip=1),
}

_SAME_AS = {
    "podman": "docker",
    "nerdctl": "docker",
    "docker-compose": "docker-compose",
    "kubecolor": "kubectl",
}
_FIRST_WORDS = frozenset(name.partition(" ")[0] for name in WRAPPERS)
_WITH_VERBS = {name.partition(" ")[0] for name in WRAPPERS if " " in name}
_GLOBAL_VALUES = _names(
    "-H --host --context -l --log-level --config -n --namespace --kubeconfig -f --file -p --project-name "
    "--profile --env-file --project-directory -C --directory"
)

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh", "rbash", "mksh"})
PYTHONS = frozenset({"python", "python2", "python3", "pypy", "pypy3"})
SCRIPT_ENDINGS = (".sh", ".bash", ".py", ".pl", ".zsh", ".ksh", ".rb")

# Commands whose arguments are data, also when they are written with their folder.
DATA_COMMANDS = _names(
    "echo printf cat grep egrep fgrep zgrep rg ag sed awk gawk mawk which type man info apropos whatis hash "
    "whereis pip pip3 apt apt-get yum dnf apk brew npm git hg svn cp mv rm ls ln mkdir rmdir touch "
    "chmod chown"
    "stat file du df head tail tee less more wc sort uniq cut tr diff cmp test [ alias unalias dpkg rpm curl "
    "wget tar zip unzip gzip gunzip rsync scp sha256sum md5sum basename dirname realpath readlink cd pushd "
    "popd export unset declare local readonly complete jq yq tput logger mail notify-send install strip nm "
    "objdump readelf ldd strings pgrep pkill killall kill ps pidof systemctl service true false :"
)


def find_wrapper(words: tuple[str | None, ...], name: str) -> tuple[str, int] | None:
    """The wrapper that a program named `name` is with these words: its key and the words its name takes.

    `words` are the texts of all words from the program word on; None where the text is not known.
    """
    name = _SAME_AS.get(name, name)
    if name in WRAPPERS and name not in _WITH_VERBS:
        return name, 1
    if name not in _FIRST_WORDS:
        return None
    verbs = [name]
    index = 1
    while index < len(words) and len(verbs) <= 2:  # noqa: PLR2004 - no wrapper has more than two verbs
        word = words[index]
        if word is None:
            return None
        index += 1
        if word.startswith("-") and word != "-E":
            index += word in _GLOBAL_VALUES
            continue
        verbs.append(word)
        key = " ".join(verbs)
        if key in WRAPPERS:
            return key, index
        if verbs[1] == "container" and len(verbs) == 2:  # noqa: PLR2004 - `docker container run`
            verbs.pop()
    return (name, 1) if name in WRAPPERS else None
