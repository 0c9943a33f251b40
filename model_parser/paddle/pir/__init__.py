"""PIR programs: models in JSON (``inference.json``) that Paddle 3 saves beside a ``.pdiparams`` file.

The format follows ``serialize_deserialize`` of Paddle's ``paddle/fluid/pir``, versions 0 to 4.
"""
