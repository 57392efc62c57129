#!/bin/sh
# Compiles the vision models of the built-in suite. perfgate reads the commands; it runs nothing here.
set -eu
MODELS=${MODELS:-models}
SOC=${1:?usage: $0 CHIP, such as Ascend310P3 or Ascend910B4}

atc --framework=5 --model="$MODELS/resnet50.onnx" --output=resnet50 \
    --soc_version="$SOC" --input_format=NCHW \
    --optypelayout=NHWC \
    --precision_mode=force_fp16

atc --framework=5 --model="$MODELS/densenet121.onnx" --output=densenet121 \
    --soc_version="$SOC" --input_format=NCHW --optypelayout=NHWC --precision_mode=force_fp16

atc --framework=5 --model="$MODELS/squeezenet.onnx" --output=squeezenet \
    --soc_version="$SOC" --input_format=NCHW --optypelayout=NHWC --precision_mode=force_fp16

atc --framework=5 --model="$MODELS/shufflenet.onnx" --output=shufflenet \
    --soc_version="$SOC" --input_format=NCHW --optypelayout=NHWC --precision_mode=force_fp16

atc --framework=5 --model="$MODELS/inception_v2.onnx" --output=inception_v2 \
    --soc_version="$SOC" --input_format=NCHW --optypelayout=NHWC --precision_mode=force_fp16

atc --framework=5 --model="$MODELS/mobilenetv2.onnx" --output=mobilenetv2 \
    --soc_version="$SOC" --input_format=NCHW --optypelayout=NHWC --precision_mode=allow_mix_precision
