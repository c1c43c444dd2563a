"""A running node: its addresses, its chain controls and its control API."""

from __future__ import annotations

import json
import os
import queue
import secrets
import shlex
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

from .types import Fault, FaultReport, JournalEntry


class StartError(RuntimeError):
    """The command exited or timed out before it printed its ready line."""


class RPCError(RuntimeError):
    """The error object of a JSON-RPC response."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code
        self.data = data


class ControlError(RuntimeError):
    """A response of the control API with a status other than 2xx."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"HTTP {status}: {body}")
        self.status = status


class Node:
    """A node as described by its ready line (``ready``), with its process if this process started it."""

    def __init__(self, ready: dict[str, Any], process: Optional[subprocess.Popen[str]] = None) -> None:
        self.ready = ready
        self.url: str = ready["url"]
        self.ws_url: Optional[str] = ready.get("wsUrl")
        self.ipfs_url: Optional[str] = ready.get("ipfsUrl")
        self.accounts: list[dict[str, str]] = ready.get("accounts", [])
        parts = urllib.parse.urlsplit(self.url)
        self._control = f"{parts.scheme}://{parts.netloc}/_standin"
        self._process = process

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops the node's process. An attached node keeps running."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def rpc(self, method: str, *params: Any) -> Any:
        """Calls a JSON-RPC method; raises RPCError if the response is an error object."""
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = json.loads(_send("POST", self.url, call))
        if "error" in answer:
            error = answer["error"]
            raise RPCError(error["code"], error["message"], error.get("data"))
        return answer["result"]

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the control API at ``/_standin`` + path; raises ControlError for a status other than 2xx."""
        text = _send(method, self._control + path, body)
        return json.loads(text) if text else None

    def snapshot(self) -> str:
        """Takes a snapshot of the chain and returns its ID for ``revert``."""
        return self.rpc("evm_snapshot")

    def revert(self, snapshot: str) -> None:
        """Restores a snapshot of the chain. Each snapshot can be used once."""
        if not self.rpc("evm_revert", snapshot):
            raise ValueError(f"no snapshot {snapshot}")

    def mine(self, blocks: int = 1) -> None:
        self.rpc("hardhat_mine", hex(blocks))

    def increase_time(self, seconds: int) -> None:
        """Advances the clock of the following blocks."""
        self.rpc("evm_increaseTime", seconds)

    def set_next_block_timestamp(self, timestamp: int) -> None:
        """Sets the timestamp of the next block, in seconds since 1970."""
        self.rpc("evm_setNextBlockTimestamp", timestamp)

    def faults(self) -> list[FaultReport]:
        return self.control("GET", "/faults")

    def add_fault(self, fault: Fault) -> Any:
        """Sets a fault."""
        return self.control("POST", "/faults", {"faults": [fault]})

    def clear_faults(self) -> None:
        self.control("DELETE", "/faults")

    def journal(self, **query: Union[str, int, bool]) -> list[JournalEntry]:
        """Lists recorded requests, oldest first. Accepts the query parameters of ``GET /_standin/requests``."""
        parameters = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in query.items()}
        return self.control("GET", "/requests?" + urllib.parse.urlencode(parameters))

    def wait_for_request(self, timeout: float = 10, **query: Union[str, int, bool]) -> JournalEntry:
        """Waits for the first recorded request that matches; raises TimeoutError if none does in time."""
        deadline = time.monotonic() + timeout
        while True:
            found = self.journal(**query)
            if found:
                return found[0]
            if time.monotonic() > deadline:
                raise TimeoutError(f"no request matched {query}")
            time.sleep(0.02)

    def assert_requested(self, **query: Union[str, int, bool]) -> None:
        """Fails unless a recorded request matches the query."""
        if not self.journal(**query):
            methods = [entry.get("method") for entry in self.journal()]
            raise AssertionError(f"no request matched {query}; recorded methods: {methods}")

    def assert_not_requested(self, **query: Union[str, int, bool]) -> None:
        """Fails if a recorded request matches the query."""
        found = self.journal(**query)
        if found:
            raise AssertionError(f"{len(found)} requests matched {query}")

    def create_key(self) -> "Key":
        """Adds a key with a secret for one test. Quotas, allowlists and the journal distinguish tests by their keys."""
        name, secret = secrets.token_hex(16), secrets.token_hex(16)
        self.control("PUT", f"/keys/{name}", {"secret": secret})
        return Key(name, secret, _with_key(self.url, name), _with_key(self.ws_url or "", name))

    def remove_key(self, key: "Key") -> None:
        self.control("DELETE", f"/keys/{key.key}")


class Key(NamedTuple):
    """An API key for one test, with the URLs that contain it."""

    key: str
    secret: str
    url: str
    ws_url: str


def start(
    options: Sequence[str] = (), *, command: Optional[Sequence[str]] = None, timeout: float = 60
) -> Node:
    """Starts a node and waits for its ready line.

    ``command`` defaults to ``STANDIN_COMMAND``, split like a shell does, or else ``npx --yes standin``. The node exits
    when this process exits, even if it is killed.
    """
    words = list(command or shlex.split(os.environ.get("STANDIN_COMMAND", "")) or ["npx", "--yes", "standin"])
    words += ["--json", "--port", "0", "--ipfs-port", "0", "--parent-pid", str(os.getpid()), *options]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    read: Callable[[], str] = process.stdout.readline

    def drain() -> None:
        lines.put(read())
        # Keep reading: a full pipe would block the node.
        while read():
            pass

    threading.Thread(target=drain, daemon=True).start()
    try:
        line = lines.get(timeout=timeout)
        return Node(json.loads(line), process)
    except (queue.Empty, ValueError) as error:
        process.kill()
        process.wait()
        raise StartError(f"{shlex.join(words)} printed no ready line (status {process.returncode})") from error


def attach(url: str) -> Node:
    """Attaches to the running node with this JSON-RPC URL, which includes its key."""
    parts = urllib.parse.urlsplit(url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    socket = parts._replace(scheme=scheme, path="/ws" + parts.path)
    return Node({"url": url, "wsUrl": urllib.parse.urlunsplit(socket)})


def _with_key(url: str, key: str) -> str:
    return url[: url.rfind("/") + 1] + key


def _send(method: str, url: str, body: Any) -> str:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()
    except urllib.error.HTTPError as error:
        raise ControlError(error.code, error.read().decode(errors="replace")) from error
