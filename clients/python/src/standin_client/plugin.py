"""pytest plugin: ``standin_node`` for the session, ``standin`` and ``async_standin`` for each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from .aio import AsyncNode
from .node import Node, attach, start


@pytest.fixture(scope="session")
def standin_node() -> Iterator[Node]:
    """The node at ``STANDIN_URL``, or one started for the session."""
    url = os.environ.get("STANDIN_URL")
    with attach(url) if url else start() as node:
        yield node


@pytest.fixture
def standin(standin_node: Node) -> Iterator[Node]:
    """The session's node. After the test its faults are removed and its chain is reverted."""
    snapshot = standin_node.snapshot()
    yield standin_node
    standin_node.clear_faults()
    standin_node.revert(snapshot)


@pytest.fixture
def async_standin(standin: Node) -> AsyncNode:
    """Like ``standin``, for tests that are coroutines, whichever plugin runs them."""
    return AsyncNode(standin)
