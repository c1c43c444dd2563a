import { prepare } from './prepare.mjs'

const parent = process.ppid

try {
  await prepare()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

// npm sends signals to the shell between it and this process, and not every shell forwards them. So when that shell
// exits, this process terminates, unless it has received a signal itself: a second one would kill it immediately.
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 200).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    clearInterval(watch)
    if (process.listenerCount(signal) === 0) process.exit(1)
  })
}

// Runs in this process, so that each signal reaches the node once, whoever sends it.
await import('../bin/standin.js')
