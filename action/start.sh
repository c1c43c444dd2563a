#!/usr/bin/env bash
# Starts a node in the background and waits until it is ready. Prints its addresses as NAME=VALUE lines for
# GITHUB_OUTPUT and dotenv files. Arguments are options of standin; STANDIN_COMMAND is the shell command that starts it.
set -euo pipefail

command=${STANDIN_COMMAND:-npx --yes "standin@${STANDIN_VERSION:-latest}"}
directory=$(mktemp -d)
nohup sh -c "exec $command \"\$@\"" sh --json --port 0 --ipfs-port 0 "$@" \
  </dev/null >"$directory/ready" 2>"$directory/errors" &
pid=$!
for _ in $(seq 1200); do
  if [ -n "$(head -n 1 "$directory/ready" | tail -c 2 | grep '}')" ]; then
    node -e '
      const { url, wsUrl, ipfsUrl, controlUrl, chainId } = JSON.parse(fs.readFileSync(process.argv[1], "utf8"))
      const names = { url, "ws-url": wsUrl, "ipfs-url": ipfsUrl, "control-url": controlUrl, "chain-id": chainId }
      for (const [name, value] of Object.entries({ ...names, pid: process.argv[2] })) console.log(`${name}=${value}`)
    ' "$directory/ready" "$pid"
    exit 0
  fi
  if ! kill -0 "$pid" 2>/dev/null; then break; fi
  sleep 0.05
done
cat "$directory/errors" >&2
kill "$pid" 2>/dev/null || true
echo 'standin exited, or was not ready within a minute' >&2
exit 1
