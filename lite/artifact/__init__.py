"""Artifacts: files of one optimised model that loads without its source format and without optimising.

An artifact (``.lbm``) is a zip whose members are stored uncompressed:

======================================  ================================================================
``meta.json``                           versions, required features, inputs, outputs, settings, and the size
                                        and SHA-256 of every other member; the first member
``runs.json``                           runs without a plan, signed by the user who wrote them
``plan.json``                           the plan, its report and the names of packed weights
``origin.json``                         the program before optimisation, for fallback
``regions.json``                        device models by the cache keys of their regions
``regions/<region>/<device>/<n>.bin``   a device model, as the device serialised it
``recipe.json``, ``rules.txt``          the quantisation recipe and the partition rules, if there are any
``report.json``                         where each op runs, for people
``weights.bin``                         all arrays; starts at a multiple of 4096, and each array at one of 64
``weights.z``                           the same compressed, in its place
======================================  ================================================================

- `container` reads the zip and checks its structure, `zip_file` writes it.
- `meta` is the schema of ``meta.json``.
- `weights` collects arrays and reads them back; equal arrays are stored once.
- `stored_runs` has runs as JSON: what compiled functions read and write for one set of shapes.
- `program_serde` has programs as JSON; plans are those of `lite.cache.plan_serde`.
- `plan_check` checks a plan before it runs.
- `device_models` serves device models to the runtime, `stored_packs` packed weights.

Numbers are little-endian.  Nothing in an artifact is executed, except what a device's loader does with the
model of its own vendor.  A stored run names compiled functions of this machine: it counts only with the
signature of the user who loads it.
"""
