"""Intel OpenVINO: regions become `openvino.Model`s of ops from OpenVINO's opset 15."""
