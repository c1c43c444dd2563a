"""Starts nodes one after another and prints the milliseconds from each start to its first answer."""

import sys
import time

import standin_client

for _ in range(int(sys.argv[1])):
    began = time.perf_counter()
    with standin_client.start() as node:
        node.rpc("eth_chainId")
        print((time.perf_counter() - began) * 1000)
