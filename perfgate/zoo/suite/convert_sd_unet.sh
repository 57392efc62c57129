#!/bin/sh
# Compiles the diffusion U-Net of the built-in suite for poster-sized images.
set -eu
SOC=${1:?usage: $0 CHIP, such as Ascend310P3 or Ascend910B4}
atc convert \
    --framework=5 \
    --model=models/sd_unet.onnx \
    --output=sd_unet \
    --soc_version="$SOC" \
    --input_format=NCHW \
    --precision_mode=force_fp16 \
    --optypelayout=NHWC \
    --buffer_optimize=l2_optimize
