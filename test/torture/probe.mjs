// Loaded into the node with --import: measures how long the event loop was busy without a pause.
import { openSync, readSync } from 'node:fs'

const schedule = openSchedule()
const buffer = Buffer.alloc(128)
let longest = 0
let peakMemory = 0
let last = now()

/**
 * Milliseconds without the time in which the kernel let other processes run: on a busy machine a stop is not the
 * node's fault. Linux only; elsewhere it is the wall clock.
 */
function now() {
  const wall = performance.now()
  if (schedule === undefined) return wall
  const length = readSync(schedule, buffer, 0, buffer.length, 0)
  const waited = Number(buffer.toString('latin1', 0, length).split(' ')[1])
  return wall - waited / 1e6
}

function openSchedule() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

setInterval(() => {
  const time = now()
  longest = Math.max(longest, time - last)
  last = time
}, 1).unref()

setInterval(() => {
  peakMemory = Math.max(peakMemory, process.memoryUsage.rss())
}, 100).unref()

let utilization = performance.eventLoopUtilization()

process.on('message', (message) => {
  if (message !== 'measure') return
  const current = performance.eventLoopUtilization()
  const { utilization: busy } = performance.eventLoopUtilization(current, utilization)
  process.send({ longest, peakMemory, busy })
  utilization = current
  longest = 0
  last = now()
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
