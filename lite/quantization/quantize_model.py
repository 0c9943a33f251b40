"""quantize: makes a quantised model from a float one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path

from lite.artifact.sniff import SUFFIX
from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import ConfigError, suggest
from lite.io.load import as_path, load_program
from lite.ir.program import Program
from lite.ir.types import HOST, Array
from lite.plugin.format import PARSERS
from lite.plugin.loader import load_parsers
from lite.quantization.bias_correction import corrected_model
from lite.quantization.calibration import Calibration, run_sample
from lite.quantization.data import CalibrationData, DataSource, open_data
from lite.quantization.equalization import equalized_model
from lite.quantization.gains import measured_gains
from lite.quantization.grid import Grid, QuantizedWeight, Scheme, quantize_weight
from lite.quantization.layers import Layer, Skipped
from lite.quantization.metrics import METRICS, cosine, sqnr
from lite.quantization.options import Options
from lite.quantization.paddle_model import PaddleModel
from lite.quantization.pairs import best_pairs
from lite.quantization.plan import Choice, plan_text, read_plan
from lite.quantization.recipe import WEIGHT_BITS, FloatModel, Recipe
from lite.quantization.rounding import Correlation
from lite.quantization.sensitivity import SAMPLES, choose
from lite.session.predictor import Predictor
from lite.session.save_artifact import save_artifact

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a stage, the steps done and, if it is known, the number of all."""


@dataclass(frozen=True)
class OutputQuality:
    """How near an output is to that of the float model, over a few samples: SQNR in dB, and cosine."""

    name: str
    sqnr: float
    cosine: float


@dataclass(frozen=True)
class Quantized:
    """The result of `quantize`: what was written, and how each layer was treated."""

    format: str
    files: Sequence[Path]
    choices: Sequence[Choice]
    skipped: Sequence[Skipped]
    grids: Mapping[str, Grid]
    samples: int
    outputs: Sequence[OutputQuality]
    """Empty without calibration data."""

    @property
    def plan(self) -> str:
        """The precision plan as text, for the option `plan`."""
        return plan_text(self.choices)

    def to_dict(self) -> dict[str, object]:
        """All fields as plain data."""
        return {
            "format": self.format,
            "files": [str(path) for path in self.files],
            "layers": [
                {
                    "name": each.layer.name,
                    "op": each.layer.op,
                    "weight": each.layer.weight,
                    "quantized": each.is_quantized,
                    "reason": each.reason,
                    "drop": each.drop,
                    "gain_us": each.gain,
                }
                for each in self.choices
            ],
            "skipped": [asdict(each) for each in self.skipped],
            "activations": {name: asdict(grid) for name, grid in self.grids.items()},
            "samples": self.samples,
            "outputs": [asdict(each) for each in self.outputs],
        }


def quantize_model(
    model: str | PathLike[str] | Config,
    data: DataSource | None,
    output: str | PathLike[str],
    options: Options,
    progress: Progress | None = None,
) -> Quantized:
    """Quantise a float model, and write the result to `output`; `lite.quantize` documents the arguments."""
    advance = progress or _silent
    config = model if isinstance(model, Config) else _config(as_path(model))
    target = as_path(output)
    source = read_model(config, options.format, target)
    predictor = _observable(source, config)
    choices, original = _chosen(source, options), source
    samples = None if data is None else _samples(data, predictor, options)
    recipe, count = Recipe((), options.weights, per_channel=options.per_channel), 0
    if options.quantizes_activations:
        if samples is None:
            raise ConfigError(
                "quantised activations need calibration data; pass data, or activations 'float' (on the "
                "command line --data, or --weights-only)"
            )
        if options.equalize:
            layers = [each.layer for each in choices if each.is_quantized]
            source = equalized_model(source, layers, predictor, samples, lambda *n: advance("equalising", *n))
            predictor = _observable(source, config)
            choices = _chosen(source, options)
        layers = [each.layer for each in choices if each.is_quantized]
        names = {name for layer in layers for name in layer.activations}
        correlations = _correlations(layers, options)
        listeners = {
            name: [each.see for layer, each in correlations.items() if name in layer.activations]
            for name in names
        }
        scheme = _scheme(source, options)
        calibration = Calibration(names, options.method_for(scheme), options.tuning, listeners)
        count = calibration.run(predictor, samples, lambda done, all: advance("calibrating", done, all))
        recipe = replace(recipe, grids=calibration.grids(scheme))
        choices = [_with_grid(each, recipe.grids) for each in choices]
        rounded = _rounded(source, layers, correlations, recipe.grids, options, advance)
        recipe = replace(recipe, rounded=rounded)
        if options.correct_biases is not False and not samples.is_used_up:
            layers = [each.layer for each in choices if each.is_quantized]
            corrected = corrected_model(
                source, layers, recipe, predictor, samples, lambda *n: advance("correcting biases", *n)
            )
            whole = replace(recipe, layers={layer.name for layer in layers})
            is_kept = corrected is not source and (
                options.correct_biases or _is_nearer(corrected, source, whole, config, samples)
            )
            source = corrected if is_kept else source
    else:
        choices = [_with_weight(each) for each in choices]
    if options.max_drop is not None:
        if samples is None:
            raise ConfigError("max_drop needs calibration data, on which both models run; pass data")
        evaluation = Evaluation(source, config, samples, original)
        choices = choose(
            evaluation,
            choices,
            recipe,
            options.drop(),
            options.max_drop,
            evaluation.gains(recipe, {each.layer.name for each in choices if each.is_quantized}),
            lambda done, all: advance("measuring layers", done, all),
        )
    recipe = replace(recipe, layers={each.layer.name for each in choices if each.is_quantized})
    if not recipe.layers:
        reasons = [f"{each.layer.name}: {each.reason}" for each in choices]
        reasons += [f"{each.name}: {each.reason}" for each in source.skipped]
        raise ConfigError(f"{config.source}: no layer is left to quantise: {'; '.join(reasons[:5])}")
    files = _save(source, recipe, target, config)
    outputs = [] if samples is None else _quality(Evaluation(source, config, samples, original), recipe)
    return Quantized(source.format, files, choices, source.skipped, recipe.grids, count, outputs)


class Evaluation:
    """Runs the float model `original` and quantised forms of `source` on the first samples."""

    def __init__(
        self, source: FloatModel, config: Config, samples: CalibrationData, original: FloatModel
    ) -> None:
        self._source = source
        self._config = config
        self._samples = list(samples.first(SAMPLES).samples())
        self.exact = self._run(original.program)

    def outputs(self, recipe: Recipe, model: FloatModel | None = None) -> list[Mapping[str, Array]]:
        """The outputs of a quantised model for each sample, under the names of the float model's.

        It is the quantised form of `model`, by default of `source`.
        """
        results = self._run((model or self._source).quantized(recipe))
        return [
            dict(zip(exact, got.values(), strict=True))
            for exact, got in zip(self.exact, results, strict=True)
        ]

    def gains(self, recipe: Recipe, layers: Collection[str]) -> dict[str, float]:
        """The microseconds that each layer gains on the first sample, where all of them are quantised."""
        if not layers:
            return {}
        quantized = self._source.quantized(replace(recipe, layers=layers))
        return measured_gains(self._source.program, quantized, self._config, self._samples[0], layers)

    def _run(self, program: Program) -> list[Mapping[str, Array]]:
        predictor = Predictor.of_program(program, self._config)
        return [run_sample(predictor, sample) for sample in self._samples]


def _is_nearer(
    corrected: FloatModel, source: FloatModel, recipe: Recipe, config: Config, samples: CalibrationData
) -> bool:
    """Whether the quantised form of `corrected` has less noise in its outputs than that of `source`."""
    evaluation = Evaluation(source, config, samples, source)
    noise = []
    for model in (corrected, source):
        pairs = zip(evaluation.exact, evaluation.outputs(recipe, model), strict=True)
        noise.append(sum(METRICS["sqnr"](exact, got) for exact, got in pairs))
    return noise[0] < noise[1]


def read_model(config: Config, format: str | None, target: Path) -> FloatModel:
    """The model in the form that writes `format`: by default ONNX for ONNX, and Paddle for others."""
    is_onnx = _is_onnx(config)
    if format == "onnx" and not is_onnx:
        raise ConfigError(
            f"{config.source}: format onnx needs an ONNX model; convert it first: "
            "litebridge convert MODEL model.onnx"
        )
    if is_onnx and format in (None, "onnx"):
        # Imported here: onnx is slow to import.
        from lite.quantization.onnx_model import OnnxModel

        path = config.source.path
        model: FloatModel = OnnxModel.read(path) if path else OnnxModel.of_bytes(config.source.model or b"")
    else:
        model = PaddleModel(load_program(config))
        if target.suffix == ".onnx":
            raise ConfigError(f"{target}: a Paddle model is written to a folder; name one without .onnx")
    if not model.layers:
        reasons = "; ".join(f"{each.name} ({each.op}): {each.reason}" for each in model.skipped[:5])
        raise ConfigError(
            f"{config.source}: the model has no layer to quantise{': ' + reasons if reasons else ''}; "
            "convolutions and matrix products in float32 can be quantised"
        )
    return model


def _save(source: FloatModel, recipe: Recipe, target: Path, config: Config) -> list[Path]:
    """Write the quantised model: an artifact to a file .lbm, else in the model's format."""
    if target.suffix != SUFFIX:
        return source.save(recipe, target)
    return [save_artifact(Predictor.of_program(source.quantized(recipe), config), target).path]


def _silent(_stage: str, _done: int, _total: int | None) -> None:
    """No progress bar."""


def _observable(source: FloatModel, config: Config) -> Predictor:
    """A predictor that computes all values of the float model."""
    return Predictor.of_program(source.program, replace(config, passes=[], valid_places=[HOST], devices=()))


def _config(path: Path) -> Config:
    return Config(model_dir=path)


def _is_onnx(config: Config) -> bool:
    load_parsers()
    parser = PARSERS.find("onnx")
    return parser is not None and parser.sniff(config.source)


def _samples(data: DataSource, predictor: Predictor, options: Options) -> CalibrationData:
    opened = open_data(data, predictor)
    return opened if options.samples is None else opened.first(options.samples)


def _scheme(source: FloatModel, options: Options) -> Scheme:
    if source.symmetric and options.activations == "asymmetric":
        raise ConfigError("activations: Paddle's format has symmetric ones only, got 'asymmetric'")
    return Scheme(source.symmetric or options.activations == "symmetric")


def _correlations(layers: Sequence[Layer], options: Options) -> dict[Layer, Correlation]:
    """Collectors of correlations for compensated rounding, one for each layer with a weight."""
    if options.rounding == "nearest" or not options.per_channel or options.weights == "float16":
        return {}
    return {layer: Correlation(layer.geometry) for layer in layers if layer.weight and layer.geometry}


def _rounded(
    source: FloatModel,
    layers: Sequence[Layer],
    correlations: Mapping[Layer, Correlation],
    grids: Mapping[str, Grid],
    options: Options,
    advance: Progress,
) -> dict[str, QuantizedWeight]:
    """The integers of weights by layer."""
    weights: dict[str, QuantizedWeight] = {}
    bits = WEIGHT_BITS[options.weights]
    for layer in layers:
        correlation = correlations.get(layer)
        if layer.weight is not None and (correlation or options.correct_biases is not False):
            array, axis = source.weight(layer.weight), layer.axis if options.per_channel else -1
            if correlation is None:
                weights[layer.name] = quantize_weight(array, axis, bits)
            elif not options.pairs or bits < 8 or layer.activations[0] not in grids:
                weights[layer.name] = correlation.quantized(array, axis, bits)
            else:
                step = grids[layer.activations[0]].step
                weights[layer.name] = best_pairs(correlation, array, axis, layer.geometry, step)
        if correlation is not None:
            advance("rounding weights", len(weights), len(correlations))
    return weights


def _chosen(source: FloatModel, options: Options) -> list[Choice]:
    """A choice for each layer, by the plan and by `keep`, whose entries are op types or names of layers."""
    layers = source.layers
    known = {layer.op for layer in layers} | {layer.name for layer in layers}
    known |= {each.name for each in source.skipped} | {each.op for each in source.skipped}
    for name in options.keep:
        if name not in known:
            raise ConfigError(
                f"keep: no layer has the name or op type {name!r}{suggest(name, known)}; "
                f"op types: {', '.join(sorted({layer.op for layer in layers}))}"
            )
    choices = [Choice(layer, True) for layer in layers]
    if options.plan is not None:
        choices = read_plan(as_path(options.plan), layers)
    elif options.quantizes_activations and options.layers == "dense":
        choices = [_if_dense(each) for each in choices]
    return [_kept(each, options.keep) for each in choices]


def _if_dense(choice: Choice) -> Choice:
    if choice.layer.is_dense:
        return choice
    kind = (
        "depthwise convolutions"
        if choice.layer.is_depthwise
        else "products of activations"
        if choice.layer.weight is None
        else "transposed convolutions"
    )
    return replace(choice, is_quantized=False, reason=f"{kind} stay in float by default")


def _kept(choice: Choice, keep: Sequence[str]) -> Choice:
    layer: Layer = choice.layer
    if layer.op in keep or layer.name in keep:
        return replace(choice, is_quantized=False, reason="the user keeps it")
    return choice


def _with_grid(choice: Choice, grids: Mapping[str, Grid]) -> Choice:
    missing = [name for name in choice.layer.activations if name not in grids]
    if not missing or not choice.is_quantized:
        return choice
    reason = f"the calibration data never led to its input {missing[0]}"
    return replace(choice, is_quantized=False, reason=reason)


def _with_weight(choice: Choice) -> Choice:
    if choice.layer.weight is not None or not choice.is_quantized:
        return choice
    return replace(choice, is_quantized=False, reason="it has no weight")


def _quality(evaluation: Evaluation, recipe: Recipe) -> list[OutputQuality]:
    """The measures of each output over all samples of the evaluation, the worst sample of each."""
    pairs = list(zip(evaluation.exact, evaluation.outputs(recipe), strict=True))
    return [
        OutputQuality(
            name,
            min(sqnr(exact[name], got[name]) for exact, got in pairs),
            min(cosine(exact[name], got[name]) for exact, got in pairs),
        )
        for name in (pairs[0][0] if pairs else ())
    ]
