import pytest

# The assertions of these are those of many tests.
pytest.register_assert_rewrite("tests.lite.passes.check")
