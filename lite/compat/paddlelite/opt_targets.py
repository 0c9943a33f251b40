"""The words for hardware that ``Opt`` and Paddle-Lite's command ``opt`` take."""

from __future__ import annotations

from lite.compat.paddlelite.devices import installed_devices
from lite.compat.paddlelite.enums import TargetType
from lite.compat.paddlelite.place import Place
from lite.errors import ConfigError, suggest

_TARGETS = {
    "arm": (TargetType.ARM,),
    "host": (TargetType.Host,),
    "metal": (TargetType.Metal,),
    "opencl": (TargetType.OpenCL,),
    "x86": (TargetType.X86,),
    "x86_opencl": (TargetType.X86, TargetType.OpenCL),
    "xpu": (TargetType.XPU,),
}
_DEVICES = (
    "amlogic_npu",
    "android_nnapi",
    "cambricon_mlu",
    "eeasytech_npu",
    "huawei_ascend_npu",
    "huawei_kirin_npu",
    "imagination_nna",
    "kunlunxin_xtcl",
    "mediatek_apu",
    "qualcomm_qnn",
    "rockchip_npu",
    "verisilicon_timvx",
)


def read_targets(text: str) -> tuple[list[Place], list[str]]:
    """Places and devices that a text such as ``"arm,opencl"`` names; `ConfigError` for other words."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    known = sorted({*_TARGETS, *_DEVICES, *installed_devices()})
    unknown = [word for word in words if word not in known]
    if unknown:
        raise ConfigError(
            f"set_valid_places: no target is called {unknown[0]!r}{suggest(unknown[0], known)}; "
            f"targets: {', '.join(known)}"
        )
    devices = [word for word in words if word not in _TARGETS]
    places = [Place(target) for word in words for target in _TARGETS.get(word, (TargetType.NNAdapter,))]
    return places, devices
