import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, distinguishable from a later one with the same id. */
export interface Owner {
  pid: number
  host: string
  /** Start time in the system's own unit; null where the system does not report it. */
  started: string | null
}

/** Describes this process. */
export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) }
}

/** Returns whether both describe the same process. */
export function isSameProcess(a: Owner, b: Owner): boolean {
  return a.pid === b.pid && a.host === b.host && a.started === b.started
}

/** Returns whether a process of this host is still running. */
export function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const startNow = startOf(pid)
  return started === null || startNow === null || started === startNow
}

/** Parses an owner from JSON; undefined if invalid. */
export function parseOwner(json: string): Owner | undefined {
  try {
    const { pid, host, started } = JSON.parse(json) as Partial<Owner>
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined
    return { pid, host, started: typeof started === 'string' ? started : null }
  } catch {
    return undefined
  }
}

/** Returns field 22 of Linux' /proc/<pid>/stat (proc_pid_stat(5)): clock ticks since boot. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the program's name in parentheses, which may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
