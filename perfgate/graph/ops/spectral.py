"""Fourier transforms, determinants, training losses and text: rare operators with their own shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfgate.graph.ops.costs import estimated, total_bytes, vector_per_input
from perfgate.graph.ops.rows import OpFacts, OpKind, Result, Row, Site, axis_of, broadcast
from perfgate.graph.problems import mismatch

if TYPE_CHECKING:
    from perfgate.graph.ir import Node, Tensor

AXIS_AS_INPUT_OPSET = 20
MATRIX_RANK = 2
SIGNAL_RANK = 3  # batch, length, real (and imaginary)


def _dft(site: Site) -> list[Result]:
    source = site.tensor(0)
    rank = len(source.shape)
    if site.opset >= AXIS_AS_INPUT_OPSET:
        axis = (site.integers(2, "axis") or (-2,))[0]
    else:
        axis = site.attributes.get("axis", 1)
    axis = axis_of(axis, rank)
    length = (site.integers(1, "DFT length") or (source.shape[axis],))[0]
    is_onesided, is_inverse = site.attributes.get("onesided"), site.attributes.get("inverse")
    if is_onesided and is_inverse:
        length = length if site.optional(1) is not None else 2 * (source.shape[axis] - 1)
        return [((*source.shape[:axis], length, *source.shape[axis + 1 : -1], 1), source.dtype)]
    bins = length // 2 + 1 if is_onesided else length
    return [((*source.shape[:axis], bins, *source.shape[axis + 1 : -1], 2), source.dtype)]


def _stft(site: Site) -> list[Result]:
    signal, window = site.tensor(0), site.optional(2)
    step = (site.integers(1, "frame step") or (0,))[0]
    frame = site.integers(3, "frame length")
    length = frame[0] if frame else (window.shape[0] if window is not None else 0)
    if len(signal.shape) != SIGNAL_RANK or step < 1 or not 0 < length <= signal.shape[1]:
        raise mismatch(f"frames of {length} every {step} do not fit the signal {list(signal.shape)}")
    bins = length // 2 + 1 if site.attributes.get("onesided", 1) else length
    return [((signal.shape[0], (signal.shape[1] - length) // step + 1, bins, 2), signal.dtype)]


def _transform_cost(_node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    # 5 n log2 n for each transform of n points (Cooley-Tukey); the longest axis bounds n.
    points = outputs[0].elements // 2
    longest = max(outputs[0].shape[:-1], default=1)
    work = 5 * points * max(1, longest.bit_length())
    return OpFacts(
        kind=OpKind.VECTOR,
        flops=work,
        vector_work=work,
        read_bytes=total_bytes(inputs),
        write_bytes=total_bytes(outputs),
    )


def _det(site: Site) -> list[Result]:
    source = site.tensor(0)
    if len(source.shape) < MATRIX_RANK or source.shape[-1] != source.shape[-2]:
        raise mismatch(f"{list(source.shape)} is no square matrix (axes -2 and -1)")
    return [(source.shape[:-2], source.dtype)]


def _det_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    width = inputs[0].shape[-1] if inputs[0] is not None else 1
    return vector_per_input(width, width)(
        node, inputs, outputs
    )  # 2/3 n^3 by elimination, about n per element


def _loss(site: Site) -> list[Result]:
    scores, labels = site.tensor(0), site.tensor(1)
    if len(scores.shape) != len(labels.shape) + 1:
        raise mismatch(f"labels {list(labels.shape)} need one axis less than scores {list(scores.shape)}")
    shape = labels.shape if site.attributes.get("reduction", "mean") == "none" else ()
    return [(shape, scores.dtype), (scores.shape, scores.dtype)][: site.outputs]


def _joined_text(site: Site) -> list[Result]:
    return [(broadcast(site.tensor(0).shape, site.tensor(1).shape), "string")]


def _matched_text(site: Site) -> list[Result]:
    return [(site.tensor(0).shape, "bool")]


def _text_counts(site: Site) -> list[Result]:
    source = site.tensor(0)
    columns = max(site.attributes.get("ngram_indexes", ()), default=-1) + 1
    return [((*source.shape[:-1], columns), "float32")]


def _text_cost(node: Node, inputs: list[Tensor | None], outputs: list[Tensor]) -> OpFacts:
    return estimated(node, inputs, outputs)  # text work depends on lengths that no shape tells


ROWS: dict[str, Row] = {
    "DFT": Row(shape=_dft, cost=_transform_cost, parameters=(1, 2)),
    "STFT": Row(shape=_stft, cost=_transform_cost, parameters=(1, 3)),
    "Det": Row(shape=_det, cost=_det_cost),
    "NegativeLogLikelihoodLoss": Row(shape=_loss, cost=vector_per_input(2, 2)),
    "SoftmaxCrossEntropyLoss": Row(shape=_loss, cost=vector_per_input(22, 8)),
    "StringConcat": Row(shape=_joined_text, cost=_text_cost),
    "RegexFullMatch": Row(shape=_matched_text, cost=_text_cost),
    "TfIdfVectorizer": Row(shape=_text_counts, cost=_text_cost),
}
