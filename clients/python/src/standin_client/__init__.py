"""Start a Standin node, or attach to one, and control it from tests."""

from .node import ControlError, Node, RPCError, StartError, attach, start

__all__ = ["ControlError", "Node", "RPCError", "StartError", "attach", "start"]
