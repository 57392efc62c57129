"""Which programs and variables are watched, and the facts of each one's command line that reading needs.

Plain Python and not YAML: every run reads it. What the flags mean is in the catalogue, which is loaded only
when a rule or a suggestion asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property

GFLAGS = "gflags"
TRTEXEC = "trtexec"
LLVM = "llvm"
ARGPARSE = "argparse"
FLAG_LIST = "flag-list"
TORCH = "torch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A watched program: its names (base names or globs), Python modules, and how its arguments are read.

    `flags` are the names that prefixes are completed from; `takes_value` the ones that take the next word,
    `bare` the ones that never do; `adds_up` may be repeated. `bare_repeats`: a flag without a value (a pass)
    may be repeated.
    """

    name: str
    dialect: str
    names: tuple[str, ...]
    modules: tuple[str, ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    takes_value: frozenset[str] = frozenset()
    bare: frozenset[str] = frozenset()
    adds_up: frozenset[str] = frozenset()
    bare_repeats: bool = False


def _flags(text: str) -> frozenset[str]:
    return frozenset(f"--{name}" for name in text.split())


_TVMC_FLAGS = _flags(
    "target target-host tuning-records opt-level output output-format pass-config dump-code model-format "
    "input-shapes cross-compiler cross-compiler-options desired-layout desired-layout-ops disabled-pass "
    "module-name runtime executor config mixed-precision mixed-precision-ops workspace-pools "
    "mixed-precision-calculation-type mixed-precision-acc-type device inputs outputs fill-mode print-top "
    "print-time profile repeat number hostname port rpc-key rpc-tracker end-to-end trials tuner tuner-log "
    "early-stopping min-repeat-ms parallel timeout enable-autoscheduler cache-line-bytes num-cores "
    "vector-unit-bytes include-simple-tasks log-estimated-latency verbose version help"
)
_TVMC_BARE = _flags(
    "print-time profile end-to-end enable-autoscheduler include-simple-tasks log-estimated-latency "
    "mixed-precision verbose version help"
)
_MO_FLAGS = _flags(
    "input_model input_model_is_text model_name output_dir input_shape input output mean_values scale_values "
    "scale reverse_input_channels compress_to_fp16 data_type layout source_layout target_layout transform "
    "framework batch log_level silent freeze_placeholder_with_value static_shape extensions progress "
    "stream_output use_legacy_frontend use_new_frontend transformations_config saved_model_dir "
    "saved_model_tags input_meta_graph input_checkpoint tensorboard_logdir tensorflow_custom_layer_libraries "
    "tensorflow_custom_operations_config_update tensorflow_object_detection_api_pipeline_config input_proto "
    "caffe_parser_path disable_omitting_optional enable_flattening_nested_params counts remove_memory "
    "remove_output_softmax example_input share_weights version help"
)
_OVC_FLAGS = _flags(
    "output_model input output compress_to_fp16 extension verbose example_input share_weights version help"
)
_VAI_FLAGS = _flags(
    "xmodel arch output_dir net_name options frozen_pb quant_info model prototxt caffemodel help"
)
_VAI_ALIASES = {
    "-x": "--xmodel",
    "-a": "--arch",
    "-o": "--output_dir",
    "-n": "--net_name",
    "-e": "--options",
    "-f": "--frozen_pb",
    "-q": "--quant_info",
    "-m": "--model",
    "-p": "--prototxt",
    "-c": "--caffemodel",
    "-h": "--help",
}
_IREE_LISTS = _flags(
    "iree-hal-target-backends iree-hal-target-device iree-plugin iree-dispatch-creation-pipeline "
    "iree-input-demote iree-preprocessing-pass-pipeline iree-llvmcpu-target-triple-list"
)
_IREE_VALUES = _flags(
    "iree-hal-target-backends iree-hal-target-device iree-plugin iree-input-type iree-opt-level compile-to "
    "compile-from compile-mode output-format iree-llvmcpu-target-cpu iree-llvmcpu-target-cpu-features "
    "iree-llvmcpu-target-triple iree-hip-target iree-cuda-target iree-rocm-target-chip iree-vulkan-target "
    "iree-vulkan-target-triple iree-preprocessing-pass-pipeline iree-hal-dump-executable-files-to "
    "iree-hal-executable-debug-level iree-metal-target-platform iree-stream-partitioning-favor "
    "mlir-print-ir-after mlir-print-ir-before pass-pipeline split-input-file-marker"
)

PROGRAMS = (
    Program(
        name="atc",
        dialect=GFLAGS,
        names=("atc", "atc.bin", "atc_convert", "atc_convert.sh"),
        aliases={"--h": "--help"},
        bare=_flags("help helpfull helpshort version"),
    ),
    Program(
        name="aoe",
        dialect=GFLAGS,
        names=("aoe", "aoe.bin"),
        aliases={"--h": "--help"},
        bare=_flags("help helpfull helpshort version"),
    ),
    Program(
        name="trtexec",
        dialect=TRTEXEC,
        names=("trtexec",),
        adds_up=_flags("plugins staticPlugins dynamicPlugins setPluginsToSerialize"),
    ),
    Program(
        name="iree-compile",
        dialect=LLVM,
        names=("iree-compile",),
        modules=("iree.compiler.tools.scripts.iree_compile",),
        takes_value=_IREE_VALUES | {"-o"},
        adds_up=_IREE_LISTS,
    ),
    Program(
        name="mlir-opt",
        dialect=LLVM,
        names=("mlir-opt",),
        takes_value=_flags("pass-pipeline mlir-print-ir-after mlir-print-ir-before") | {"-o"},
        adds_up=_flags("mlir-print-ir-after mlir-print-ir-before load-pass-plugin load-dialect-plugin"),
        bare_repeats=True,
    ),
    Program(
        name="tvmc",
        dialect=ARGPARSE,
        names=("tvmc",),
        modules=("tvm.driver.tvmc", "tvm.driver.tvmc.main"),
        aliases={"-o": "--output", "-f": "--output-format", "-O": "--opt-level", "-v": "--verbose"},
        flags=_TVMC_FLAGS,
        bare=_TVMC_BARE,
        adds_up=_flags("pass-config verbose"),
    ),
    Program(
        name="mo",
        dialect=ARGPARSE,
        names=("mo", "mo.py", "mo_onnx.py", "mo_tf.py", "mo_caffe.py", "mo_kaldi.py", "mo_mxnet.py"),
        modules=("openvino.tools.mo", "mo"),
        aliases={
            "-m": "--input_model",
            "-w": "--input_model",
            "-n": "--model_name",
            "-o": "--output_dir",
            "-s": "--scale",
            "-b": "--batch",
            "-d": "--input_proto",
            "-k": "--caffe_parser_path",
            "-h": "--help",
        },
        flags=_MO_FLAGS,
        bare=_flags(
            "silent progress stream_output use_legacy_frontend use_new_frontend input_model_is_text counts "
            "remove_memory remove_output_softmax version help"
        ),
        adds_up=_flags("transform"),
    ),
    Program(
        name="ovc",
        dialect=ARGPARSE,
        names=("ovc", "ovc.py"),
        modules=("openvino.tools.ovc",),
        aliases={"-h": "--help"},
        flags=_OVC_FLAGS,
        bare=_flags("verbose version help share_weights"),
    ),
    Program(
        name="vai_c",
        dialect=ARGPARSE,
        names=("vai_c_*",),
        aliases=_VAI_ALIASES,
        flags=_VAI_FLAGS,
        bare=_flags("help"),
    ),
    Program(name="torch.compile", dialect=TORCH, names=()),
)

FLAG_VARIABLES = ("XLA_FLAGS", "TF_XLA_FLAGS", "LIBTPU_INIT_ARGS")
PLAIN_VARIABLES = ("XLA_PYTHON_CLIENT_MEM_FRACTION", "ASCEND_GLOBAL_LOG_LEVEL")
FLAG_LIST_PROGRAM = Program(name="flag list", dialect=FLAG_LIST, names=())


@dataclass(frozen=True, kw_only=True, eq=False)
class Watch:
    """The programs and variables that readers report; a guardrail file can add its own.

    `flag_variables` hold lists of flags, `plain_variables` one value.
    """

    programs: tuple[Program, ...] = PROGRAMS
    flag_variables: frozenset[str] = frozenset(FLAG_VARIABLES)
    plain_variables: frozenset[str] = frozenset(PLAIN_VARIABLES)

    @cached_property
    def variables(self) -> frozenset[str]:
        """All variables."""
        return self.flag_variables | self.plain_variables

    @cached_property
    def _exact(self) -> dict[str, Program]:
        return {name: program for program in self.programs for name in program.names if "*" not in name}

    @cached_property
    def _globs(self) -> tuple[tuple[str, Program], ...]:
        return tuple((name, program) for program in self.programs for name in program.names if "*" in name)

    @cached_property
    def _modules(self) -> dict[str, Program]:
        return {module: program for program in self.programs for module in program.modules}

    def program_of(self, word: str) -> Program | None:
        """The program that a program word names: by base name, exact or glob."""
        name = base_name(word)
        found = self._exact.get(name)
        if found is not None or not name:
            return found
        return next((program for glob, program in self._globs if fnmatchcase(name, glob)), None)

    def program_of_module(self, module: str) -> Program | None:
        """The program that `python -m MODULE` runs."""
        return self._modules.get(module)

    def extended(
        self, programs: tuple[Program, ...] = (), flag_variables: frozenset[str] = frozenset()
    ) -> Watch:
        """This and more; an added program wins over a built-in one of the same name."""
        return Watch(
            programs=(*self.programs, *programs),
            flag_variables=self.flag_variables | flag_variables,
            plain_variables=self.plain_variables - flag_variables,
        )


WATCH = Watch()
_BY_NAME = {program.name: program for program in PROGRAMS}


def base_name(word: str) -> str:
    """The name of a program without folders and `.exe`."""
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def program_of(word: str) -> Program | None:
    """The built-in program that a program word names: by base name, exact or glob."""
    return WATCH.program_of(word)


def program_of_module(module: str) -> Program | None:
    """The built-in program that `python -m MODULE` runs."""
    return WATCH.program_of_module(module)


def program_named(name: str) -> Program:
    """The built-in program by its catalogue name.

    Raises:
        KeyError: no such program.
    """
    return _BY_NAME[name]
