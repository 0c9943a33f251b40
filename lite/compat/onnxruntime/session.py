"""InferenceSession: a model, and the predictors that run it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import lite
from lite.compat.onnxruntime.binding import IOBinding
from lite.compat.onnxruntime.enums import GraphOptimizationLevel
from lite.compat.onnxruntime.environment import current_settings, warn_ignored
from lite.compat.onnxruntime.errors import (
    Fail,
    InvalidArgument,
    MissingInputError,
    NotImplementedHere,
    OrtTypeError,
    while_loading,
    while_running,
)
from lite.compat.onnxruntime.feeds import checked_feed
from lite.compat.onnxruntime.model import ModelMetadata, ModelOrigin, NodeArg, facts_of, with_values
from lite.compat.onnxruntime.options import RunOptions, SessionOptions
from lite.compat.onnxruntime.predictor_pool import PredictorPool
from lite.compat.onnxruntime.profile import RunLog
from lite.compat.onnxruntime.providers import (
    Choice,
    chosen,
    device_texts,
    needs_processes,
)
from lite.compat.onnxruntime.values import OrtValue
from lite.config import max_threads
from lite.cores import usable_cores
from lite.errors import suggest
from lite.ir.types import Array, Shape

Providers = Sequence[str | tuple[str, Mapping[str, Any]]]


class InferenceSession:
    """Runs one ONNX model; threads may share a session, as each run uses a predictor of its own.

    path_or_bytes: the model's file, with external data beside it, or its content.
    providers: execution providers in order of preference, by name or as (name, options);
        see `lite.compat.onnxruntime.providers.DEVICES`.  The CPU takes what they leave.

    Raises the exceptions of `lite.compat.onnxruntime.errors`.
    """

    def __init__(
        self,
        path_or_bytes: str | bytes | os.PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Providers | None = None,
        provider_options: Sequence[Mapping[str, Any]] | None = None,
        **kwargs: object,
    ) -> None:
        if sess_options is not None and not isinstance(sess_options, SessionOptions):
            raise OrtTypeError(f"sess_options: expected a SessionOptions, got {sess_options!r}")
        self._origin = _origin(path_or_bytes)
        self._options = SessionOptions() if sess_options is None else sess_options
        self._facts = facts_of(self._origin.read())
        self._log = RunLog(self._options.profile_file_prefix) if self._options.enable_profiling else None
        self._lock = threading.Lock()
        self.set_providers(providers or list(self._options._providers.items()), provider_options)

    def set_providers(
        self, providers: Providers | None = None, provider_options: Sequence[Mapping[str, Any]] | None = None
    ) -> None:
        """Choose other execution providers, for which the model is planned again."""
        self._choices: list[Choice] = chosen(providers, provider_options)
        self._pools: dict[tuple[str, ...], PredictorPool] = {}
        self._pool(())

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that a run needs, in the model's order."""
        return list(self._facts.inputs)

    def get_outputs(self) -> list[NodeArg]:
        """The outputs, in the model's order."""
        return list(self._facts.outputs)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """The inputs that have an initialiser."""
        return list(self._facts.overridable)

    def get_modelmeta(self) -> ModelMetadata:
        """What the exporter wrote into the model."""
        return self._facts.metadata

    def get_providers(self) -> list[str]:
        """The execution providers in use, in order of preference."""
        return [name for name, _ in self._choices]

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """The options of the execution providers in use."""
        return {name: dict(options) for name, options in self._choices}

    def get_session_options(self) -> SessionOptions:
        """The options of this session."""
        return self._options

    def get_provider_graph_assignment_info(self) -> list[object]:
        """Always empty; `lite.Predictor.report` tells where each op runs."""
        return []

    def enable_fallback(self) -> None:
        """Has no effect: the host takes over where a device fails."""

    def disable_fallback(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("disable_fallback", "the host takes over where a device fails")

    def run(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        run_options: RunOptions | None = None,
    ) -> list[Any]:
        """The outputs of these names, or all of them in the model's order; the arrays belong to the caller.

        What a ZipMap writes is a list with a dict from label to score for each row.

        input_feed: arrays by input name; a list becomes an array of the input's dtype, and None leaves an
            optional input out.
        """
        names = self._names(output_names)
        results = self._run(input_feed, run_options)
        return [self._facts.as_returned(name, results[name]) for name in names]

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As `run`, with and for `OrtValue`s."""
        feed = {name: value.shared() for name, value in input_dict_ort_values.items()}
        return [OrtValue(result) for result in self.run(output_names, feed, run_options)]

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: Mapping[str, Any],
        callback: Callable[[list[Any], object, str], None],
        user_data: object,
        run_options: RunOptions | None = None,
    ) -> None:
        """Run in another thread, which calls `callback` with the outputs, `user_data` and an error's text."""

        def work() -> None:
            try:
                results, message = self.run(output_names, input_feed, run_options), ""
            except (lite.LiteError, ValueError) as error:
                results, message = [], str(error)
            callback(results, user_data, message)

        threading.Thread(target=work, name="onnxruntime.run_async").start()

    def io_binding(self) -> IOBinding:
        """An empty set of bound inputs and outputs for `run_with_iobinding`."""
        facts = self._facts
        inputs = [value.name for value in (*facts.inputs, *facts.overridable)]
        return IOBinding(inputs, [value.name for value in facts.outputs])

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Run on bound inputs, and write to bound outputs."""
        arrays = iobinding.output_arrays()
        results = self._run(iobinding.inputs(), run_options, arrays)
        iobinding.take({name: results[name] for name in self._names(iobinding.output_names())})

    def end_profiling(self) -> str:
        """Write the times of the runs, and return the file's name; "" without `enable_profiling`."""
        return "" if self._log is None else self._log.write()

    def get_profiling_start_time_ns(self) -> int:
        """When profiling began, by `time.monotonic_ns`; 0 without `enable_profiling`."""
        return 0 if self._log is None else self._log.start_ns

    def __getstate__(self) -> NoReturn:
        raise OrtTypeError(
            "cannot pickle an InferenceSession: it holds memory and compiled code; pickle the model's path, "
            "and create a session in each process"
        )

    def _run(
        self,
        feed: Mapping[str, Any],
        options: RunOptions | None,
        outputs: Mapping[str, Array] | None = None,
    ) -> dict[str, Any]:
        if options is not None and options.terminate:
            raise Fail("Exiting due to terminate flag being set to true.")
        if not isinstance(feed, Mapping):
            raise InvalidArgument(f"input_feed: expected a dict by input name, got a {type(feed).__name__}")
        given = {name: value for name, value in feed.items() if value is not None}
        required = [value.name for value in self._facts.inputs if not value.type.startswith("optional")]
        missing = [name for name in required if name not in given]
        if missing:
            raise MissingInputError(
                f"Required inputs ({missing}) are missing from input feed ({list(given)})."
            )
        arrays = checked_feed(given, (*self._facts.inputs, *self._facts.overridable))
        overridden = [value.name for value in self._facts.overridable if value.name in given]
        pool = self._pool(tuple(overridden))
        with while_running(), pool.predictor() as predictor:
            if self._log is None:
                return predictor.run(arrays, outputs)
            return self._log.timed(lambda: predictor.run(arrays, outputs))

    def _names(self, names: Sequence[str] | None) -> Sequence[str]:
        known = [value.name for value in self._facts.outputs]
        if isinstance(names, str):
            raise InvalidArgument(
                f"output_names: expected a list, got the string {names!r}; write [{names!r}]"
            )
        for name in names or ():
            if name not in known:
                raise InvalidArgument(f"Invalid output name:{name}{suggest(name, known)}")
        return names or known

    def _pool(self, fed: tuple[str, ...]) -> PredictorPool:
        """The predictors that take the initialisers `fed` as inputs."""
        with self._lock:
            if fed not in self._pools:
                config = self._config(fed)
                with while_loading():
                    self._pools[fed] = PredictorPool(lite.create_predictor(config))
            return self._pools[fed]

    def _config(self, fed: tuple[str, ...]) -> lite.Config:
        options, values = self._options, self._options._initializers
        changed = with_values(self._origin, fed, values) if fed or values else self._origin.data
        devices = device_texts(self._choices)
        disabled = options.graph_optimization_level == GraphOptimizationLevel.ORT_DISABLE_ALL
        with while_loading():
            return lite.Config(
                model_file=self._origin.path if changed is None else None,
                model_buffer=changed,
                devices=devices,
                passes=[] if disabled else None,
                threads=min(options.intra_op_num_threads, max_threads())
                or current_settings().threads
                or usable_cores(),
                precision="strict" if options.use_deterministic_compute else "default",
                input_shapes=self._input_shapes(),
                isolate=needs_processes(devices),
            )

    def _input_shapes(self) -> dict[str, Shape]:
        """The shapes of inputs with an overridden dimension."""
        options = self._options
        sizes: dict[str | tuple[str, int], int] = {}
        sizes.update(options._by_name)
        for name, axis, denotation in self._facts.denotations:
            if denotation in options._by_denotation:
                sizes[name, axis] = options._by_denotation[denotation]
        shapes: dict[str, Shape] = {}
        for value in self._facts.inputs:
            dims = [
                sizes.get((value.name, axis), sizes.get(dim, dim) if isinstance(dim, str) else dim)
                for axis, dim in enumerate(value.shape)
            ]
            if dims != value.shape:
                shapes[value.name] = tuple("?" if dim is None else dim for dim in dims)
        return shapes


def _origin(model: object) -> ModelOrigin:
    if isinstance(model, str | os.PathLike):
        path = os.fspath(model)
        if str(path).endswith(".ort"):
            raise NotImplementedHere(f"{path}: ONNX Runtime's own format is not read; use the .onnx file")
        return ModelOrigin(str(path), None)
    if isinstance(model, bytes | bytearray | memoryview):
        return ModelOrigin(None, bytes(model))
    raise OrtTypeError(f"Unable to load from type '{type(model)}'; expected a path or bytes")
