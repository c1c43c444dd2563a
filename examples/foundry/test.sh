#!/bin/sh
# Deploys with a script and tests the deployed contract. `standin exec` sets RPC_URL.
set -e
# First account of the node, which is unlocked.
sender=0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266
forge script script/Deploy.s.sol --rpc-url standin --broadcast --unlocked --sender $sender
forge test
