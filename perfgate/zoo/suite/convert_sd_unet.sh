#!/bin/sh
# Compiles the diffusion U-Net of the built-in suite for poster-sized images.
set -eu
atc convert \
    --framework=5 \
    --model=models/sd_unet.onnx \
    --output=sd_unet \
    --soc_version=Ascend310P3 \
    --input_format=NCHW \
    --precision_mode=force_fp16 \
    --optypelayout=NHWC \
    --buffer_optimize=l2_optimize
