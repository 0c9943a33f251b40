"""TFLite: the bridges that all devices share whose SDKs read TFLite."""
