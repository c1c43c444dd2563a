import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** Returns a port that was free a moment ago. */
export async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A measured process; killed when the benchmark exits. */
export class MeasuredProcess {
  #child
  #output = ''
  #ended = false

  constructor(command, parameters, { cwd, env } = {}) {
    this.#child = spawn(command, parameters, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const keep = (chunk) => {
      if (this.#output.length < 20_000) this.#output += chunk
    }
    this.#child.stdout.on('data', keep)
    this.#child.stderr.on('data', keep)
    this.#child.once('close', () => {
      this.#ended = true
      running.delete(this)
    })
    this.#child.once('error', (error) => {
      this.#ended = true
      this.#output += error.message
    })
    running.add(this)
  }

  get output() {
    return this.#output
  }

  get ended() {
    return this.#ended
  }

  /** Resident memory in MiB; undefined on systems without /proc. */
  memory() {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    } catch {
      return undefined
    }
  }

  /** Processor time of all threads so far, in seconds; undefined on systems without /proc. */
  processorTime() {
    try {
      const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    } catch {
      return undefined
    }
  }

  async end(signal = 'SIGTERM') {
    if (this.#ended) return
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill(signal)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5000)
    await closed
    clearTimeout(timer)
  }

  kill() {
    this.#child.kill('SIGKILL')
  }
}

const running = new Set()
process.once('exit', () => {
  for (const measured of running) measured.kill()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
