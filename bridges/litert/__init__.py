"""LiteRT (TensorFlow Lite): regions become TFLite models, which run on the CPU by XNNPACK."""
