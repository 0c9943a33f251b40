"""The OCR demo and its models; not part of the wheel."""
