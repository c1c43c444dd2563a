import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process, told apart from a later one that was given the same number. */
export interface Owner {
  pid: number
  host: string
  /** When the process began, in the system's own unit; null where the system does not say. */
  started: string | null
}

/** This process. */
export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) }
}

/** Whether two descriptions are of the same process. */
export function isSameProcess(a: Owner, b: Owner): boolean {
  return a.pid === b.pid && a.host === b.host && a.started === b.started
}

/** Whether a process of this host still runs. */
export function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: there is one, and it is another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const startNow = startOf(pid)
  return started === null || startNow === null || started === startNow
}

/** An owner from its JSON, or undefined if it is none. */
export function parseOwner(json: string): Owner | undefined {
  try {
    const { pid, host, started } = JSON.parse(json) as Partial<Owner>
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined
    return { pid, host, started: typeof started === 'string' ? started : null }
  } catch {
    return undefined
  }
}

/** The 22nd field of Linux' /proc/<pid>/stat (proc_pid_stat(5)): clock ticks from the start of the system. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
