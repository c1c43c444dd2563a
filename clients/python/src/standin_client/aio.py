"""Asynchronous client for tests that run in an event loop."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, TypeVar, Union

from .node import Key, Node
from .types import Fault, FaultReport, JournalEntry

T = TypeVar("T")


class AsyncNode:
    """A node whose calls do not block the event loop: each runs in a thread."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.url = node.url
        self.ws_url = node.ws_url
        self.ipfs_url = node.ipfs_url
        self.accounts = node.accounts

    async def rpc(self, method: str, *params: Any) -> Any:
        """Calls a JSON-RPC method; raises RPCError if the response is an error object."""
        return await self._run(self.node.rpc, method, *params)

    async def control(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the control API at ``/_standin`` + path; raises ControlError for a status other than 2xx."""
        return await self._run(self.node.control, method, path, body)

    async def snapshot(self) -> str:
        return await self._run(self.node.snapshot)

    async def revert(self, snapshot: str) -> None:
        await self._run(self.node.revert, snapshot)

    async def mine(self, blocks: int = 1) -> None:
        await self._run(self.node.mine, blocks)

    async def increase_time(self, seconds: int) -> None:
        await self._run(self.node.increase_time, seconds)

    async def set_next_block_timestamp(self, timestamp: int) -> None:
        await self._run(self.node.set_next_block_timestamp, timestamp)

    async def faults(self) -> list[FaultReport]:
        return await self._run(self.node.faults)

    async def add_fault(self, fault: Fault) -> Any:
        return await self._run(self.node.add_fault, fault)

    async def clear_faults(self) -> None:
        await self._run(self.node.clear_faults)

    async def journal(self, **query: Union[str, int, bool]) -> list[JournalEntry]:
        return await self._run(self.node.journal, **query)

    async def wait_for_request(self, timeout: float = 10, **query: Union[str, int, bool]) -> JournalEntry:
        return await self._run(self.node.wait_for_request, timeout, **query)

    async def create_key(self) -> Key:
        return await self._run(self.node.create_key)

    async def remove_key(self, key: Key) -> None:
        await self._run(self.node.remove_key, key)

    @staticmethod
    async def _run(call: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.to_thread(call, *args, **named)
