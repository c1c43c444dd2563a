#!/usr/bin/env bash
# Starts a node in the background and waits for it. Prints its addresses, a line NAME=VALUE each, as GITHUB_OUTPUT and
# dotenv files want them. The words are options of standin; STANDIN_COMMAND is the shell command that starts it.
set -euo pipefail

command=${STANDIN_COMMAND:-npx --yes "standin@${STANDIN_VERSION:-latest}"}
folder=$(mktemp -d)
nohup sh -c "exec $command \"\$@\"" sh --json --port 0 --ipfs-port 0 "$@" \
  </dev/null >"$folder/ready" 2>"$folder/errors" &
pid=$!
for _ in $(seq 1200); do
  if [ -n "$(head -n 1 "$folder/ready" | tail -c 2 | grep '}')" ]; then
    node -e '
      const { url, wsUrl, ipfsUrl, controlUrl, chainId } = JSON.parse(fs.readFileSync(process.argv[1], "utf8"))
      const names = { url, "ws-url": wsUrl, "ipfs-url": ipfsUrl, "control-url": controlUrl, "chain-id": chainId }
      for (const [name, value] of Object.entries({ ...names, pid: process.argv[2] })) console.log(`${name}=${value}`)
    ' "$folder/ready" "$pid"
    exit 0
  fi
  if ! kill -0 "$pid" 2>/dev/null; then break; fi
  sleep 0.05
done
cat "$folder/errors" >&2
kill "$pid" 2>/dev/null || true
echo 'standin ended, or was not ready within a minute' >&2
exit 1
