"""Runs `lite.tools.demo.ocr_repository`."""

from lite.tools.demo.ocr_repository.write import main

main()
