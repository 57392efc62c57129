#!/bin/sh
# Compiles the language models of the built-in suite.
set -eu
SOC=${1:?usage: $0 CHIP, such as Ascend310P3 or Ascend910B4}
COMMON="--framework=5 --soc_version=$SOC --input_format=ND --optypelayout=NHWC"

atc $COMMON --model=models/bert_base.onnx --output=bert_base --precision_mode=force_fp16
atc $COMMON --model=models/llm_decoder.onnx --output=llm_decoder --precision_mode=force_fp16
