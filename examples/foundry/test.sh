#!/bin/sh
# Deploys by a script and tests against what it deployed. RPC_URL is set by `standin exec`.
set -e
# The first account of the node, which signs for it.
sender=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
forge script script/Deploy.s.sol --rpc-url standin --broadcast --unlocked --sender $sender
forge test
