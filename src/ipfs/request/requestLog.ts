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

/** A request while it runs and a while later. Times are milliseconds since 1970. */
export interface RunningRequest {
  readonly id: number
  readonly command: string
  readonly options: Record<string, unknown>
  readonly args: string[]
  readonly start: number
  end?: number
}

/** Time for which a request that ended is listed, in milliseconds, unless it is set. */
const defaultKeepTime = 10_000
/** Requests that ended and are listed, at most. */
const mostEnded = 1000
/** Characters of all their arguments, at most. */
const mostArgumentLength = 1024 * 1024
/** What Go shows for a time that has not come. */
const noTime = '0001-01-01T00:00:00Z'

/** The requests that run, and those that ended recently. */
export class RequestLog {
  #next = 0
  #keepTime = defaultKeepTime
  readonly #running = new Set<RunningRequest>()
  /** In the order in which they ended. */
  readonly #ended = new Set<RunningRequest>()
  #argumentLength = 0

  start(command: string, options: Record<string, unknown>, args: string[]): RunningRequest {
    const request = { id: this.#next++, command, options, args, start: Date.now() }
    this.#running.add(request)
    return request
  }

  /** A request ends once; further calls have no effect. */
  end(request: RunningRequest): void {
    if (!this.#running.delete(request)) return
    request.end = Date.now()
    this.#ended.add(request)
    this.#argumentLength += argumentLength(request)
    this.#forgetOld()
  }

  /** In the order of their beginnings. */
  list(): LoggedRequest[] {
    this.#forgetOld()
    return [...this.#running, ...this.#ended].sort((a, b) => a.id - b.id).map(toLogged)
  }

  clear(): void {
    this.#ended.clear()
    this.#argumentLength = 0
  }

  setKeepTime(milliseconds: number): void {
    this.#keepTime = milliseconds
  }

  #forgetOld(): void {
    const oldest = Date.now() - this.#keepTime
    for (const request of this.#ended) {
      const isFull = this.#ended.size > mostEnded || this.#argumentLength > mostArgumentLength
      if (!isFull && (request.end ?? 0) >= oldest) return
      this.#ended.delete(request)
      this.#argumentLength -= argumentLength(request)
    }
  }
}

function argumentLength({ args }: RunningRequest): number {
  return args.reduce((sum, { length }) => sum + length, 0)
}

/** The same options as JSON can have them. */
function withPlainNumbers(options: Record<string, unknown>): Record<string, unknown> {
  const plain = Object.entries(options).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(plain) as Record<string, unknown>
}

function toLogged({ id, command, options, args, start, end }: RunningRequest): LoggedRequest {
  return {
    StartTime: new Date(start).toISOString(),
    EndTime: end === undefined ? noTime : new Date(end).toISOString(),
    Active: end === undefined,
    Command: command,
    Options: withPlainNumbers(options),
    Args: args,
    ID: id,
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
    else if (this.#levels.size < mostSubsystems || this.#levels.has(subsystem)) {
      this.#levels.set(subsystem, level)
    } else throw new FileNetworkError(`levels of more than ${mostSubsystems} subsystems are not kept`)
  }

  /** @param message - makes the text of the line, if anybody follows the log */
  write(level: Level, { logger, caller }: Pick<LogLine, 'logger' | 'caller'>, message: () => string): void {
    if (this.#lines.listenerCount('line') === 0) return
    const line = { level, ts: new Date().toISOString(), logger, caller, msg: message() }
    this.#lines.emit('line', line, this.level(logger))
  }

  /**
   * Lines as they are written, until the signal says otherwise.
   *
   * @param wanted - the least level that is told, whatever is set; undefined for what is set
   */
  async *follow(wanted: Level | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
    const events = this.#lines as EventEmitter<{ line: [LogLine, Level] }>
    const waiting: LogLine[] = []
    let waitingLength = 0
    let wake = (): void => undefined
    const receive = (line: LogLine, set: Level): void => {
      if (levels.indexOf(line.level) < levels.indexOf(wanted ?? set)) return
      if (waitingLength > mostWaiting) return
      waiting.push(line)
      waitingLength += line.msg.length
      wake()
    }
    const end = (): void => wake()
    events.on('line', receive)
    signal.addEventListener('abort', end)
    try {
      while (!signal.aborted) {
        const line = waiting.shift()
        if (line !== undefined) {
          waitingLength -= line.msg.length
          yield line
        } else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      events.off('line', receive)
      signal.removeEventListener('abort', end)
    }
  }
}

/** Characters of lines that a slow reader may be behind; more lines are left out for it. */
const mostWaiting = 1024 * 1024
/** Subsystems with a level of their own. */
const mostSubsystems = 1000

/** @throws {@link FileNetworkError} for what is no level */
export function parseLevel(text: string): Level {
  const lower = text.toLowerCase()
  const level = levels.find((known) => known === (lower === 'warning' ? 'warn' : lower))
  if (level === undefined) throw new FileNetworkError(`unrecognized level: ${JSON.stringify(text)}`)
  return level
}
