"""Device rknn: Rockchip's NPUs by RKNN-Toolkit2, which reads ONNX."""
