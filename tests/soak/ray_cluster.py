"""``python -m tests.soak.ray_cluster``: three Ray nodes on this computer under load, while things go wrong.

A replica is killed, then a node, then a new version is rolled out, and the replicas shrink and grow with the
load.  Every answer is checked, and every request is counted: answered, refused with a code that asks to try
again, or lost.  Needs the extra ``ray``.
"""

from __future__ import annotations

import collections
import contextlib
import http.client
import itertools
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import grpc
import numpy as np
import onnx
import yaml
from onnx import TensorProto, helper, numpy_helper

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.ray.app import application
from lite.ray.deploy import RELIABLE
from lite.serving.oip import oip_pb2 as pb
from tests.support.served_models import save_model

PORT, GRPC_PORT = 8180, 8181
_INFER = "/inference.GRPCInferenceService/ModelInfer"
_NODE = {"num_cpus": 4, "object_store_memory": 100 << 20}
_REPLICAS = 3
_ROWS = 8
_WIDTHS = (32, 2048, 2048, 48)


@dataclass
class Load:
    """Threads that ask by HTTP and gRPC in turn, and what they got; `weights` are those of valid versions."""

    weights: list[Array]
    pause: float
    ended: bool = False

    def __post_init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.faults: list[str] = []
        self.versions: collections.Counter[int] = collections.Counter()

    def work(self, seed: int) -> None:
        """Ask until `ended`."""
        numbers = np.random.default_rng(seed)
        channel = grpc.insecure_channel(f"127.0.0.1:{GRPC_PORT}")
        call = channel.unary_unary(_INFER, lambda data: data, lambda data: data)
        web = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        turn = seed
        while not self.ended:
            x = numbers.standard_normal((_ROWS, len(self.weights[0]))).astype(np.float32)
            turn += 1
            if turn % 2:
                self._count("HTTP", x, self._ask(web, x))
            else:
                self._count("gRPC", x, _by_grpc(call, x))
            time.sleep(self.pause)
        channel.close()
        web.close()

    def _ask(self, web: http.client.HTTPConnection, x: Array) -> Array | str:
        """By HTTP; as its clients do, again if a kept connection ends before the first byte of an answer."""
        kept = web.sock is not None
        try:
            return _by_http(web, x)
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            web.close()
            if not kept:
                return repr(error)
            self.counts["HTTP connection ended, asked again"] += 1
            return self._ask(web, x)
        except (OSError, http.client.HTTPException) as error:
            web.close()
            return repr(error)

    def _count(self, kind: str, x: Array, answer: Array | str) -> None:
        if isinstance(answer, str):
            retry = answer.startswith(("503", "429", "UNAVAILABLE", "RESOURCE_EXHAUSTED"))
            self.counts[f"{kind} {'refused' if retry else 'lost'}"] += 1
            if not retry:
                self.faults.append(f"{kind}: lost: {answer[:300]}")
            return
        close = [np.allclose(answer, x @ weights, rtol=1e-4, atol=1e-4) for weights in self.weights]
        self.counts[f"{kind} answered"] += 1
        if True in close:
            self.versions[close.index(True)] += 1
        else:
            self.faults.append(f"{kind}: a wrong answer")


def _by_http(web: http.client.HTTPConnection, x: Array) -> Array | str:
    size = {"binary_data_size": x.nbytes}
    entry = {"name": "INPUT0", "shape": x.shape, "datatype": "FP32", "parameters": size}
    head = json.dumps({"inputs": [entry], "parameters": {"binary_data_output": True}}).encode()
    headers = {"Inference-Header-Content-Length": str(len(head))}
    web.request("POST", "/v2/models/product/infer", head + x.tobytes(), headers)
    response = web.getresponse()
    body, length = response.read(), response.getheader("Inference-Header-Content-Length")
    if response.status != 200 or length is None:
        return f"{response.status} {body[:200]!r}"
    return np.frombuffer(body[int(length) :], np.float32).reshape(len(x), -1)


def _by_grpc(call: Callable[..., bytes], x: Array) -> Array | str:
    message = pb.ModelInferRequest(model_name="product")
    message.inputs.add(name="INPUT0", datatype="FP32", shape=x.shape)
    message.raw_input_contents.append(x.tobytes())
    try:
        answer = pb.ModelInferResponse.FromString(call(message.SerializeToString(), timeout=60))
    except grpc.RpcError as error:
        return f"{error.code().name} {error.details()}" if isinstance(error, grpc.Call) else repr(error)
    return np.frombuffer(answer.raw_output_contents[0], np.float32).reshape(len(x), -1)


def write_product(root: Path, seed: int) -> Array:
    """Write the model ``product``, INPUT0[n, 32] times three matrices, of some ms; returns their product."""
    numbers = np.random.default_rng(seed)
    shapes = list(itertools.pairwise(_WIDTHS))
    matrices = [(numbers.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32) for shape in shapes]
    values = ["INPUT0", "a", "b", "OUTPUT0"]
    nodes: list[onnx.NodeProto] = []
    for number, matrix in enumerate(matrices):
        weights = f"w{number}"
        nodes.append(helper.make_node("Constant", [], [weights], value=numpy_helper.from_array(matrix)))
        nodes.append(helper.make_node("MatMul", [values[number], weights], [values[number + 1]]))
    ends: list[list[int | str]] = [["n", _WIDTHS[0]], ["n", _WIDTHS[-1]]]
    given, made = ((TensorProto.FLOAT, shape) for shape in ends)
    save_model(root / "product" / "1", nodes, {"INPUT0": given}, {"OUTPUT0": made})
    product: Array = np.linalg.multi_dot(matrices)
    return product


@contextlib.contextmanager
def running(load: Load, threads: int) -> Iterator[None]:
    """The load, until the block ends."""
    workers = [threading.Thread(target=load.work, args=(seed,)) for seed in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        load.ended = True
        for worker in workers:
            worker.join()


def deploy(folder: Path, apart: bool, **scale: object) -> None:
    """Serve ``product``: inside the ingress, or in a deployment of its own."""
    from ray import serve

    (folder / "product" / "config.yaml").write_text(yaml.safe_dump({"ray": scale}))
    options = {
        "ray_actor_options": {"num_cpus": 1},
        "health_check_period_s": 2,
        "num_replicas": 2,
        "max_replicas_per_node": 2,
    }
    where = "models" if apart else "inside"
    arguments = {where: {"product": str(folder / "product")}, "options": options}
    serve.run(application(arguments), name="litebridge", route_prefix="/")


def replicas() -> list[tuple[str, int, str]]:
    """Deployment, process and node of each replica that runs."""
    from ray.util.state import list_actors

    return [
        (actor.class_name.split(":")[-1], actor.pid, actor.node_id)
        for actor in list_actors(limit=1000)
        if actor.state == "ALIVE" and actor.class_name.startswith("ServeReplica")
    ]


def wait(what: str, done: Callable[[], bool], seconds: float = 180) -> None:
    """Wait until `done`; exits if it does not come."""
    start = time.monotonic()
    while not done():
        if time.monotonic() > start + seconds:
            sys.exit(f"{what}: not seen in {seconds:.0f} s; replicas: {replicas()}")
        time.sleep(0.5)
    click.echo(f"  {what}: after {time.monotonic() - start:.1f} s")


class Scenario:
    """The events; after each, the requests of its time are counted."""

    def __init__(self, cluster: Any, folder: Path, weights: list[Array], apart: bool) -> None:
        self._cluster = cluster
        self._nodes = [cluster.add_node(**_NODE) for _ in range(2)]
        self._folder = folder
        self._weights = weights
        self._apart = apart
        self._name = "model-product" if apart else "ingress"
        self.faults: list[str] = []

    def run(self, kills: int) -> None:
        """All events; kill a replica and a node `kills` times."""
        deploy(self._folder / "1", self._apart, num_replicas=_REPLICAS)
        wait("HAProxy answers", _answers)
        first = self._weights[:1]
        with self._phase("nothing happens", first):
            time.sleep(10)
        for _ in range(kills):
            with self._phase("a replica is killed", first):
                self._kill_a_replica()
            if self._apart:
                with self._phase("a replica of the ingress is killed", first):
                    self._kill_a_replica("ingress")
            with self._phase("a node is killed", first):
                self._kill_a_node()
        with self._phase("a new version is rolled out", self._weights) as load:
            deploy(self._folder / "2", self._apart, num_replicas=_REPLICAS)
            time.sleep(5)
            click.echo(f"  answers by version: {dict(load.versions)}")
        with self._phase("after it", self._weights) as load:
            time.sleep(5)
        if load.versions[0]:
            self.faults.append(f"{load.versions[0]} answers of the old version after the roll-out")
        self._scale()

    def _kill_a_replica(self, name: str = "") -> None:
        time.sleep(2)
        name = name or self._name
        count = self._count(name)
        _, process, _ = next(each for each in replicas() if each[0] == name)
        os.kill(process, signal.SIGKILL)
        wait("one replica less", lambda: self._count(name) < count)
        wait("it is replaced", lambda: self._count(name) == count)
        time.sleep(5)

    def _kill_a_node(self) -> None:
        time.sleep(2)
        homes = {node for name, _, node in replicas() if name == self._name}
        node = next(each for each in self._nodes if each.node_id in homes)
        self._nodes.remove(node)
        self._cluster.remove_node(node, allow_graceful=False)
        wait("the node's replicas are gone", lambda: all(each[2] != node.node_id for each in replicas()))
        wait("they are replaced", lambda: self._count(self._name) == _REPLICAS)
        self._nodes.append(self._cluster.add_node(**_NODE))
        time.sleep(5)

    def _scale(self) -> None:
        scaling = {
            "min_replicas": 1,
            "max_replicas": _REPLICAS,
            "target_ongoing_requests": 2,
            "upscale_delay_s": 2,
            "downscale_delay_s": 5,
        }
        deploy(self._folder / "2", self._apart, autoscaling_config=scaling)
        with self._phase("little load", self._weights[1:], threads=1):
            wait("one replica is left", lambda: self._count(self._name) == 1)
        with self._phase("much load", self._weights[1:], threads=16, pause=0.0):
            wait("more replicas", lambda: self._count(self._name) == _REPLICAS)
        with self._phase("little load again", self._weights[1:], threads=1):
            wait("one replica is left", lambda: self._count(self._name) == 1)

    def _count(self, name: str) -> int:
        return sum(each[0] == name for each in replicas())

    @contextlib.contextmanager
    def _phase(
        self, name: str, weights: list[Array], threads: int = 6, pause: float = 0.02
    ) -> Iterator[Load]:
        click.echo(f"{name}:")
        load = Load(weights, pause)
        with running(load, threads):
            yield load
        click.echo(f"  {dict(sorted(load.counts.items()))}, {len(load.faults)} faults")
        for fault in sorted(set(load.faults))[:5]:
            click.echo(f"    {fault}")
        self.faults += load.faults


def _answers() -> bool:
    web = http.client.HTTPConnection("127.0.0.1", PORT, timeout=5)
    try:
        web.request("GET", "/v2/models/product/ready")
        return web.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        web.close()


@click.command()
@click.option("--apart", is_flag=True, help="The model in an application of its own, with two hops.")
@click.option("--kills", default=1, show_default=True, help="Kill a replica and a node so many times.")
def main(apart: bool, kills: int) -> None:
    """Run the events; exit status 1 for wrong answers and lost requests."""
    os.environ.update(RELIABLE)
    import ray
    from ray import serve
    from ray.cluster_utils import Cluster

    with tempfile.TemporaryDirectory() as folder:
        weights = [write_product(Path(folder) / str(version), version) for version in (1, 2)]
        cluster = Cluster(initialize_head=True, head_node_args=_NODE)
        ray.init(address=cluster.address, log_to_driver=False)
        functions = ["lite.ray.grpc_calls.add_servicer"]
        serve.start(
            proxy_location="HeadOnly",
            http_options={"port": PORT},
            grpc_options={"port": GRPC_PORT, "grpc_servicer_functions": functions},
        )
        scenario = Scenario(cluster, Path(folder), weights, apart)
        try:
            scenario.run(kills)
        finally:
            serve.shutdown()
            ray.shutdown()
            cluster.shutdown()
    click.echo(f"{len(scenario.faults)} faults")
    sys.exit(bool(scenario.faults))


if __name__ == "__main__":
    main()
