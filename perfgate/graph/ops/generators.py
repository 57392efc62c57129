"""Operators that make data: random numbers, windows, filter banks."""

from __future__ import annotations

from perfgate.graph.ops.costs import vector
from perfgate.graph.ops.rows import Result, Row, Site
from perfgate.graph.problems import mismatch
from perfgate.graph.protobuf import element_type

FLOAT = 1  # TensorProto.FLOAT
RANDOM_WORK = (20, 4)  # a counter-based generator and, for normals, a log and a root
BATCH_AND_CLASSES = 2


def _random(site: Site) -> list[Result]:
    shape = site.attributes.get("shape")
    if shape is None:
        raise mismatch("the attribute 'shape' is absent", "set the shape")
    return [(tuple(shape), element_type(site.attributes.get("dtype", FLOAT), site.op))]


def _random_like(site: Site) -> list[Result]:
    source = site.tensor(0)
    code = site.attributes.get("dtype")
    return [(source.shape, source.dtype if code is None else element_type(code, site.op))]


def _multinomial(site: Site) -> list[Result]:
    source = site.tensor(0)
    if len(source.shape) != BATCH_AND_CLASSES:
        raise mismatch(f"the data must be batch, classes, not {list(source.shape)}")
    code = site.attributes.get("dtype", 6)
    return [((source.shape[0], site.attributes.get("sample_size", 1)), element_type(code, site.op))]


def _window(site: Site) -> list[Result]:
    (size,) = site.integers(0, "size") or (0,)
    return [((size,), element_type(site.attributes.get("output_datatype", FLOAT), site.op))]


def _mel_weights(site: Site) -> list[Result]:
    (bins,), (length,) = site.integers(0, "number of bands") or (0,), site.integers(1, "DFT length") or (0,)
    dtype = element_type(site.attributes.get("output_datatype", FLOAT), site.op)
    return [((length // 2 + 1, bins), dtype)]


_MADE = vector(*RANDOM_WORK)
ROWS: dict[str, Row] = {
    "RandomNormal": Row(shape=_random, cost=_MADE),
    "RandomUniform": Row(shape=_random, cost=_MADE),
    "RandomNormalLike": Row(shape=_random_like, cost=_MADE, parameters=(0,)),
    "RandomUniformLike": Row(shape=_random_like, cost=_MADE, parameters=(0,)),
    "Bernoulli": Row(shape=_random_like, cost=_MADE),
    "Multinomial": Row(shape=_multinomial, cost=_MADE),
    **{
        name: Row(shape=_window, cost=vector(10, 3), parameters=(0,))
        for name in ("HannWindow", "HammingWindow", "BlackmanWindow")
    },
    "MelWeightMatrix": Row(shape=_mel_weights, cost=vector(4, 4), parameters=(0, 1, 2, 3, 4)),
}
