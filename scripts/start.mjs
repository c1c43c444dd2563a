import { prepare } from './prepare.mjs'

const parent = process.ppid

try {
  await prepare()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

// npm hands a signal to the shell between it and this process, and not every shell hands it on. When that shell
// is gone, this process has been told to end; unless it has heard so itself, for a second signal ends it at once.
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

// In this very process: a signal then reaches the node once, from whichever sender.
await import('../bin/standin.js')
