// Loaded into the node with --import: measures the longest uninterrupted work of the event loop and the longest wait
// for a file.
import { openSync, readSync, stat } from 'node:fs'
import { Session } from 'node:inspector/promises'

const schedule = openSchedule()
const buffer = Buffer.alloc(128)
/** Whether to profile the longest stop. */
const isProfiled = process.env.STANDIN_TORTURE_PROFILE !== undefined
const mostFrames = 14
let longest = 0
let longestPassed = 0
/** Start and end of the longest stop, in microseconds of the profiler's clock. */
let stop = [0, 0]
let peakMemory = 0
let last = now()
let lastMicroseconds = microseconds()

/**
 * Returns the milliseconds that this thread has worked, and wall-clock time without the time in which the kernel ran
 * other processes. The node is responsible for the first only: on a busy machine its thread also waits for helper
 * threads of the garbage collector that are not scheduled. Linux only; elsewhere both are wall-clock time.
 */
function now() {
  const wall = performance.now()
  if (schedule === undefined) return { worked: wall, passed: wall }
  const length = readSync(schedule, buffer, 0, buffer.length, 0)
  const [worked, waited] = buffer.toString('latin1', 0, length).split(' ').map(Number)
  return { worked: worked / 1e6, passed: wall - waited / 1e6 }
}

function openSchedule() {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}

function microseconds() {
  return Number(process.hrtime.bigint() / 1000n)
}

setInterval(() => {
  const time = now()
  const end = microseconds()
  if (time.worked - last.worked > longest) {
    longest = time.worked - last.worked
    stop = [lastMicroseconds, end]
  }
  longestPassed = Math.max(longestPassed, time.passed - last.passed)
  last = time
  lastMicroseconds = end
}, 1).unref()

setInterval(() => {
  peakMemory = Math.max(peakMemory, process.memoryUsage.rss())
}, 100).unref()

/**
 * Longest wall-clock time of a file access in milliseconds. It runs on one of the few threads that also write
 * uploads: if long work occupies all of them, uploads wait.
 */
let longestFileWait = 0
let fileAskedAt = performance.now()
askForFile()

function askForFile() {
  fileAskedAt = performance.now()
  stat('/', () => {
    longestFileWait = Math.max(longestFileWait, performance.now() - fileAskedAt)
    setTimeout(askForFile, 20).unref()
  })
}

/** Time of the last measurement. */
let measured = now()
const session = new Session()
if (isProfiled) {
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 1000 })
  await session.post('Profiler.start')
}

/** Returns the call stacks of the longest stop with milliseconds, longest first. */
async function readProfile() {
  const { profile } = await session.post('Profiler.stop')
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  for (const node of profile.nodes) for (const child of node.children ?? []) nodes.get(child).parent = node
  const stacks = new Map()
  let time = profile.startTime
  for (const [index, sample] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index]
    time += delta
    if (time < stop[0] || time > stop[1]) continue
    const frames = []
    for (let node = nodes.get(sample); node?.parent !== undefined; node = node.parent) {
      const { functionName, lineNumber } = node.callFrame
      frames.push(`${functionName === '' ? '(anonymous)' : functionName}:${lineNumber + 1}`)
    }
    const stack = frames.slice(0, mostFrames).join(' < ')
    stacks.set(stack, (stacks.get(stack) ?? 0) + delta / 1000)
  }
  await session.post('Profiler.start')
  const sorted = [...stacks].sort(([, first], [, second]) => second - first)
  return sorted.slice(0, 8).map(([stack, milliseconds]) => `${milliseconds.toFixed(0)} ms ${stack}`)
}

process.on('message', async (message) => {
  if (message !== 'measure') return
  const time = now()
  const busy = (time.worked - measured.worked) / Math.max(time.passed - measured.passed, 1)
  const stacks = isProfiled && longest > 30 ? await readProfile() : []
  longestFileWait = Math.max(longestFileWait, performance.now() - fileAskedAt)
  process.send({ longest, longestPassed, longestFileWait, peakMemory, busy, stacks })
  measured = now()
  longest = longestPassed = longestFileWait = 0
  last = now()
  lastMicroseconds = microseconds()
})
process.on('disconnect', () => process.exit())
process.channel?.unref()
