"""The OCR demo and the models it runs; not part of the wheel."""
