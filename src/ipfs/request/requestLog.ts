import { EventEmitter } from 'node:events'
import { FileNetworkError } from '../errors.js'

/** A request as `diag/cmds` lists it (Kubo, `commands/reqlog.go`). */
export interface LoggedRequest {
  StartTime: string
  EndTime: string
  Active: boolean
  Command: string
  Options: Record<string, unknown>
  Args: string[]
  ID: number
}

/** Time for which a request that ended is listed, in milliseconds, unless it is set. */
const defaultKeepTime = 10_000
/** Requests that ended and are listed, at most. */
const mostEnded = 1000
/** What Go shows for a time that has not come. */
const noTime = '0001-01-01T00:00:00Z'

/** The requests that run, and those that ended recently. */
export class RequestLog {
  #next = 0
  #keepTime = defaultKeepTime
  readonly #requests = new Set<LoggedRequest>()

  start(request: Pick<LoggedRequest, 'Command' | 'Options' | 'Args'>): LoggedRequest {
    const started = { StartTime: new Date().toISOString(), EndTime: noTime, Active: true, ...request }
    const logged = { ...started, ID: this.#next++ }
    this.#requests.add(logged)
    return logged
  }

  end(request: LoggedRequest): void {
    request.Active = false
    request.EndTime = new Date().toISOString()
    if (this.#requests.size > mostEnded) this.#forget(this.#requests.size - mostEnded)
  }

  /** In the order of their beginnings. */
  list(): LoggedRequest[] {
    const oldest = Date.now() - this.#keepTime
    for (const request of this.#requests) {
      if (!request.Active && Date.parse(request.EndTime) < oldest) this.#requests.delete(request)
    }
    return [...this.#requests]
  }

  clear(): void {
    this.#forget(Infinity)
  }

  setKeepTime(milliseconds: number): void {
    this.#keepTime = milliseconds
  }

  #forget(most: number): void {
    let left = most
    for (const request of this.#requests) {
      if (left <= 0) return
      if (!request.Active && this.#requests.delete(request)) left--
    }
  }
}

/** Levels of log lines, the least important first (go.uber.org/zap). */
const levels = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'] as const
type Level = (typeof levels)[number]

/** The level that every subsystem begins with. */
const firstLevel: Level = 'error'

/** A line as `log/tail` sends it. */
interface LogLine {
  level: Level
  ts: string
  logger: string
  caller: string
  msg: string
}

/** Levels by subsystem, and lines for those who follow them. */
export class NetworkLog {
  #default: Level = firstLevel
  readonly #levels = new Map<string, Level>([
    ['cmds/http', firstLevel],
    ['core/commands', firstLevel],
  ])
  readonly #lines = new EventEmitter().setMaxListeners(0)

  /** Names of the subsystems: those that write lines, and those whose level was set. */
  subsystems(): string[] {
    return [...this.#levels.keys()]
  }

  /** The level of those whose own was not set. */
  get defaultLevel(): Level {
    return this.#default
  }

  /** @throws {@link FileNetworkError} for a subsystem that is not known */
  level(subsystem: string): Level {
    const level = this.#levels.get(subsystem)
    if (level === undefined) throw new FileNetworkError('error: No such logger')
    return level
  }

  /** @param subsystem - undefined for all of them */
  setLevel(subsystem: string | undefined, text: string): void {
    const level = text === 'default' ? firstLevel : parseLevel(text)
    if (subsystem === undefined) {
      this.#default = level
      for (const name of this.#levels.keys()) this.#levels.set(name, level)
    } else if (subsystem === '') this.#default = level
    else this.#levels.set(subsystem, level)
  }

  write(level: Level, { logger, caller, msg }: Pick<LogLine, 'logger' | 'caller' | 'msg'>): void {
    if (this.#lines.listenerCount('line') === 0) return
    this.#lines.emit('line', { level, ts: new Date().toISOString(), logger, caller, msg }, this.level(logger))
  }

  /**
   * Lines as they are written, until the signal says otherwise.
   *
   * @param wanted - the least level that is told, whatever is set; undefined for what is set
   */
  async *follow(wanted: Level | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
    const events = this.#lines as EventEmitter<{ line: [LogLine, Level] }>
    const waiting: LogLine[] = []
    let wake = (): void => undefined
    const receive = (line: LogLine, set: Level): void => {
      if (levels.indexOf(line.level) < levels.indexOf(wanted ?? set) || waiting.length >= mostWaiting) return
      waiting.push(line)
      wake()
    }
    const end = (): void => wake()
    events.on('line', receive)
    signal.addEventListener('abort', end)
    try {
      while (!signal.aborted) {
        const line = waiting.shift()
        if (line !== undefined) yield line
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      events.off('line', receive)
      signal.removeEventListener('abort', end)
    }
  }
}

/** Lines that a slow reader may be behind; more are left out for it. */
const mostWaiting = 10_000

/** @throws {@link FileNetworkError} for what is no level */
export function parseLevel(text: string): Level {
  const lower = text.toLowerCase()
  const level = levels.find((known) => known === (lower === 'warning' ? 'warn' : lower))
  if (level === undefined) throw new FileNetworkError(`unrecognized level: ${JSON.stringify(text)}`)
  return level
}
