"""Qualcomm's HTP as a device, through the package onnxruntime-qnn; its bridges are those of ONNX."""
