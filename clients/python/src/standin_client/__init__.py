"""Start a Standin node, or attach to one, and control it from tests."""

from .aio import AsyncNode
from .node import ControlError, Key, Node, RPCError, StartError, attach, start

__all__ = ["AsyncNode", "ControlError", "Key", "Node", "RPCError", "StartError", "attach", "start"]
