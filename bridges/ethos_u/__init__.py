"""Arm's Ethos-U: int8 regions become TFLite models that the compiler Vela turns into commands of the NPU."""
