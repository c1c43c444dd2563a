import { EventEmitter } from 'node:events'
import { FileNetworkError } from '../errors.js'
import { goQuote } from '../text/goQuote.js'

/** A request as listed by `diag/cmds` (Kubo, `commands/reqlog.go`). */
export interface LoggedRequest {
  StartTime: string
  EndTime: string
  Active: boolean
  Command: string
  Options: Record<string, unknown>
  Args: string[]
  ID: number
}

/** A running or recent request. Times are milliseconds since 1970. */
export interface RunningRequest {
  readonly id: number
  readonly command: string
  readonly options: Record<string, unknown>
  readonly args: string[]
  readonly start: number
  end?: number
}

/** How long ended requests are listed by default, in milliseconds. */
const DEFAULT_KEEP_TIME = 10_000
/** Maximum number of ended requests kept. */
const MAX_ENDED = 1000
/** Maximum total length of their arguments, in characters. */
const MAX_ARGUMENT_LENGTH = 1024 * 1024
/** Go's zero time, for an end that has not come. */
const noTime = '0001-01-01T00:00:00Z'

/** Running and recent requests. */
export class RequestLog {
  #next = 0
  #keepTime = DEFAULT_KEEP_TIME
  readonly #running = new Set<RunningRequest>()
  /** In order of their end. */
  readonly #ended = new Set<RunningRequest>()
  #argumentLength = 0

  start(command: string, options: Record<string, unknown>, args: string[]): RunningRequest {
    const request = { id: this.#next++, command, options, args, start: Date.now() }
    this.#running.add(request)
    return request
  }

  /** Marks a request as ended; further calls have no effect. */
  end(request: RunningRequest): void {
    if (!this.#running.delete(request)) return
    request.end = Date.now()
    this.#ended.add(request)
    this.#argumentLength += argumentLength(request)
    this.#forgetOld()
  }

  /** Lists requests in order of their start. */
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
      const isFull = this.#ended.size > MAX_ENDED || this.#argumentLength > MAX_ARGUMENT_LENGTH
      if (!isFull && (request.end ?? 0) >= oldest) return
      this.#ended.delete(request)
      this.#argumentLength -= argumentLength(request)
    }
  }
}

function argumentLength({ args }: RunningRequest): number {
  return args.reduce((sum, { length }) => sum + length, 0)
}

/** Converts bigint options to numbers, which JSON can encode. */
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

/** Log levels, least important first (go.uber.org/zap). */
const levels = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'] as const
type Level = (typeof levels)[number]

/** The initial level of every subsystem. */
const firstLevel: Level = 'error'

/** A line of `log/tail`. */
interface LogLine {
  level: Level
  ts: string
  logger: string
  caller: string
  msg: string
}

/** Log levels by subsystem, and a feed of log lines. */
export class NetworkLog {
  #default: Level = firstLevel
  readonly #levels = new Map<string, Level>([
    ['cmds/http', firstLevel],
    ['core/commands', firstLevel],
  ])
  readonly #lines = new EventEmitter().setMaxListeners(0)

  /** Names of the subsystems that write lines or whose level was set. */
  subsystems(): string[] {
    return [...this.#levels.keys()]
  }

  /** The level of subsystems without their own. */
  get defaultLevel(): Level {
    return this.#default
  }

  /** @throws {@link FileNetworkError} for an unknown subsystem */
  level(subsystem: string): Level {
    const level = this.#levels.get(subsystem)
    if (level === undefined) throw new FileNetworkError('error: No such logger')
    return level
  }

  /** @param subsystem - undefined for all */
  setLevel(subsystem: string | undefined, text: string): void {
    const level = text === 'default' ? firstLevel : parseLevel(text)
    if (subsystem === undefined) {
      this.#default = level
      for (const name of this.#levels.keys()) this.#levels.set(name, level)
    } else if (subsystem === '') this.#default = level
    else if (subsystem.length > MAX_SUBSYSTEM_LENGTH) {
      throw new FileNetworkError(`a subsystem with a name of more than ${MAX_SUBSYSTEM_LENGTH} characters`)
    } else if (this.#levels.size < MAX_SUBSYSTEMS || this.#levels.has(subsystem)) {
      this.#levels.set(subsystem, level)
    } else throw new FileNetworkError(`levels of more than ${MAX_SUBSYSTEMS} subsystems are not kept`)
  }

  /** @param message - formats the message; called only if someone follows the log */
  write(level: Level, { logger, caller }: Pick<LogLine, 'logger' | 'caller'>, message: () => string): void {
    if (this.#lines.listenerCount('line') === 0) return
    const line = { level, ts: new Date().toISOString(), logger, caller, msg: message() }
    this.#lines.emit('line', line, this.level(logger))
  }

  /**
   * Yields lines as they are written, until the signal aborts.
   *
   * @param wanted - least level to yield; undefined uses the subsystems' levels
   */
  async *follow(wanted: Level | undefined, signal: AbortSignal): AsyncGenerator<LogLine> {
    const events = this.#lines as EventEmitter<{ line: [LogLine, Level] }>
    const waiting: LogLine[] = []
    let waitingLength = 0
    let wake = (): void => undefined
    const receive = (line: LogLine, set: Level): void => {
      if (levels.indexOf(line.level) < levels.indexOf(wanted ?? set)) return
      if (waitingLength > MAX_WAITING) return
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

/** Maximum backlog of a slow follower, in characters; further lines are dropped for it. */
const MAX_WAITING = 1024 * 1024
/** Maximum number of subsystems with their own level. */
const MAX_SUBSYSTEMS = 1000
/** The longest name of a subsystem, in characters: the names are listed in order. */
const MAX_SUBSYSTEM_LENGTH = 128

/** @throws {@link FileNetworkError} for an unknown level */
export function parseLevel(text: string): Level {
  const lower = text.toLowerCase()
  const level = levels.find((known) => known === (lower === 'warning' ? 'warn' : lower))
  if (level === undefined) throw new FileNetworkError(`unrecognized level: ${goQuote(text)}`)
  return level
}
