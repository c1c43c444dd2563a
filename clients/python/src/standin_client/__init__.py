"""Start a Standin node, or attach to one, and control it from tests."""

from .aio import AsyncNode
from .node import ControlError, Key, Node, RPCError, StartError, attach, start
from .types import Fault, FaultAction, FaultMatch, FaultReport, JournalEntry

__all__ = [
    "AsyncNode",
    "ControlError",
    "Fault",
    "FaultAction",
    "FaultMatch",
    "FaultReport",
    "JournalEntry",
    "Key",
    "Node",
    "RPCError",
    "StartError",
    "attach",
    "start",
]
