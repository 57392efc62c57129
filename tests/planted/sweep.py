"""Planted faults by the thousand: every kind of fault on every model, device and noise where it can act.

The calibration of the confidence is fitted on some models and devices and tried on the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from tests.planted.scenario import Expect, NamedScenario, Plant, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DEVICES = ("ascend-310p-like", "ascend-910b-like", "a100-like", "orin-like")
NOISES = ("quiet", "desktop", "drifting", "noisy-ci")
HALF = {"--precision_mode": "force_fp16", "--optypelayout": "NHWC"}
# Models by what they have: a fault is planted where it has something to act on.
VISION = ("resnet50:tiny", "resnet50:imagenet", "mobilenetv2:tiny", "mobilenetv2:imagenet", "detector:tiny")
UNET = ("sd_unet:tiny",)
LANGUAGE = ("bert_base:tiny", "bert_base:base", "llm_decoder:tiny", "llm_decoder:tiny_prefill")
SMALL = ("custom_activation:relu", "odd_stride:even")
ALL = (*VISION, *UNET, *LANGUAGE, *SMALL)
OFF_SWITCH = '{"Switch": {"GraphFusion": {"ALL": "off"}, "UBFusion": {"ALL": "off"}}}'
ON_SWITCH = '{"Switch": {"GraphFusion": {"ALL": "on"}, "UBFusion": {"ALL": "on"}}}'
# Who reads an inner tensor keeps it out of the fusion, and wants it in another layout: both are right.
STATISTIC_RULES = ["fusion_lost", "layout", "alignment", "more_work"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of fault: what is planted, on which models, and the cause that is right."""

    name: str
    plant: Plant
    models: tuple[str, ...]
    rule: str | list[str] = "config_flag"
    devices: tuple[str, ...] = DEVICES
    compile: Mapping[str, Any] = field(default_factory=lambda: HALF)
    runtime: Mapping[str, Any] = field(default_factory=dict)
    more: tuple[Plant, ...] = ()

    def scenario(self, model: str, device: str, noise: str) -> NamedScenario:
        """The kind planted in one model on one device."""
        name, _, preset = model.partition(":")
        value = Scenario(
            model=f"zoo:{name}",
            preset=preset,
            device=device,
            noise=noise,
            compile=dict(self.compile),
            runtime=dict(self.runtime),
            plant=[self.plant, *self.more],
            expect=Expect(rule=self.rule, flag=_name(self) if self.rule == "config_flag" else ""),
        )
        return NamedScenario(f"{self.name}-{name}-{preset}-{device}-{noise}", value)


def _flag(name: str, before: Any, after: Any) -> Plant:  # noqa: ANN401 - a value of a flag
    return Plant(flag=name, from_=before, to=after)


def _key(name: str, before: Any, after: Any) -> Plant:  # noqa: ANN401 - a value of a key
    return Plant(runtime=name, from_=before, to=after)


_DEBUG = (_key("log_level", "info", "debug"),)

KINDS: tuple[Kind, ...] = (
    Kind(
        name="layout",
        plant=_flag("--optypelayout", "NHWC", "NCHW"),
        models=(*VISION, *UNET, *SMALL),
        more=_DEBUG,
    ),
    Kind(name="fp32", plant=_flag("--precision_mode", "force_fp16", "force_fp32"), models=ALL),
    Kind(name="mixed", plant=_flag("--precision_mode", "force_fp16", "allow_mix_precision"), models=ALL),
    Kind(
        name="no-reuse",
        plant=_flag("--buffer_optimize", "l2_optimize", "off_optimize"),
        models=ALL,
        more=_DEBUG,
    ),
    Kind(name="no-fusion", plant=_flag("--disable_pass", None, "fusion"), models=ALL),
    Kind(name="no-cse", plant=_flag("--disable_pass", None, "cse"), models=("redundant:wasteful",)),
    Kind(
        name="switch-off",
        plant=Plant(file="fusion.json", from_=ON_SWITCH, to=OFF_SWITCH),
        models=(*VISION, *UNET, *LANGUAGE),
        compile={**HALF, "--fusion_switch_file": "fusion.json"},
    ),
    Kind(
        name="one-stream",
        plant=_flag("--enable_single_stream", "false", "true"),
        models=(*UNET, "detector:tiny", "detector:full", "bert_base:base"),
        runtime={"streams": 2},
    ),
    Kind(name="streams", plant=_key("streams", 2, 1), models=(*UNET, "detector:tiny", "bert_base:base")),
    Kind(name="pool", plant=_key("memory_pool", "2GB", "64kB"), models=ALL),
    Kind(name="pinned", plant=_key("pinned_memory", "true", "false"), models=VISION),
    Kind(name="tea-cache", plant=_key("tea_cache", "true", "false"), models=("sd_unet:poster",)),
    Kind(
        name="priority",
        plant=_key("stream_priority", "high", "low"),
        models=ALL,
        runtime={"background": '{"load": 0.5, "priority": "normal", "kernel_us": 200}'},
    ),
    Kind(name="quantise", plant=_flag("--quantize", "int8", None), models=(*VISION, *LANGUAGE)),
    Kind(
        name="where-relu",
        plant=Plant(edit="where_relu", times=3),
        models=("resnet50:tiny", "resnet50:imagenet", "custom_activation:relu"),
        rule="fusion_lost",
    ),
    Kind(
        name="where-preset",
        plant=Plant(preset=True, from_="relu", to="where"),
        models=("custom_activation:relu",),
        rule="fusion_lost",
    ),
    Kind(
        name="odd-stride",
        plant=Plant(preset=True, from_="even", to="odd"),
        models=("odd_stride:even",),
        devices=DEVICES[:2],
        rule="alignment",
        compile={**HALF, "--optypelayout": "NCHW"},
    ),
    Kind(
        name="slow-activation",
        plant=Plant(edit="slow_activation", times=2),
        models=("resnet50:tiny", "resnet50:imagenet", "custom_activation:relu"),
        rule="more_work",
    ),
    Kind(
        name="statistic",
        plant=Plant(edit="second_consumer", times=3),
        models=("resnet50:tiny", "detector:tiny", "mobilenetv2:tiny"),
        rule=STATISTIC_RULES,
    ),
    Kind(
        name="more-layers",
        plant=Plant(parameter="layers", from_=2, to=3),
        models=("bert_base:tiny",),
        rule="more_work",
    ),
)


def sweep(noises: Iterable[str] = NOISES) -> Iterator[NamedScenario]:
    """Every kind on every model and device, under every noise."""
    for kind in KINDS:
        for model in kind.models:
            for device in kind.devices:
                for noise in noises:
                    yield kind.scenario(model, device, noise)


def pairs() -> Iterator[NamedScenario]:
    """Two faults at once; both have to be among the first three causes."""
    by_name = {kind.name: kind for kind in KINDS}
    for one, other in _PAIRS:
        first, second = by_name[one], by_name[other]
        for model in first.models:
            if model not in second.models:
                continue
            for device in first.devices:
                named = first.scenario(model, device, NOISES[0])
                scenario = msgspec.structs.replace(
                    named.scenario,
                    compile={**first.compile, **second.compile},
                    runtime={**first.runtime, **second.runtime},
                    plant=[first.plant, second.plant],
                    expect=Expect(rule="config_flag", flags=[_name(first), _name(second)]),
                )
                yield NamedScenario(f"{one}+{named.name.replace(one, other, 1)}", scenario)


_PAIRS = (
    ("fp32", "no-fusion"),
    ("fp32", "priority"),
    ("no-fusion", "priority"),
    ("switch-off", "fp32"),
    ("streams", "fp32"),
)


def _name(kind: Kind) -> str:
    return kind.plant.flag or kind.plant.runtime or kind.plant.file or ""


def quiet_pairs() -> Iterator[NamedScenario]:
    """Pairs in which nothing that acts has changed."""
    harmless = Kind(name="harmless", plant=_DEBUG[0], models=ALL, rule="none")
    for model in ALL:
        for device in DEVICES:
            for noise in NOISES:
                yield harmless.scenario(model, device, noise)
