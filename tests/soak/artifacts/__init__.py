"""Every model beside the checkout as an artifact: ``python -m tests.soak.artifacts --config cpu``."""
