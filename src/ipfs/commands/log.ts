import { linesOfText } from '../request/textForm.js'
import { withPrefix } from '../errors.js'
import { parseLevel } from '../request/requestLog.js'
import { bytes, defineCommand, optionalArgument, single } from '../request/command.js'

/** `log/level`: shows or sets the log level of a subsystem. */
export const logLevel = defineCommand({
  description: 'Show or set log levels.',
  arguments: [
    optionalArgument('subsystem', 'Subsystem; `all` or `*` for all.'),
    optionalArgument('level', 'Level: debug, info, warn, error, dpanic, panic, fatal or default.'),
  ],
  options: {},
  text({ Message, Levels = {} }: { Message?: string; Levels?: Record<string, string> }) {
    if (Message !== undefined) return Message
    const levels = Object.entries(Levels)
    const shown = levels.map(([name, level]) => (levels.length > 1 ? `${name}: ${level}` : level))
    return linesOfText(shown.sort())
  },
  run({ args: [subsystem = '', level = ''] }, { log }) {
    const isForAll = subsystem === 'all' || subsystem === '*'
    if (level !== '') {
      log.setLevel(isForAll ? undefined : subsystem, level)
      const shown = level === 'default' ? 'error' : level
      const Message = `Changed log level of '${isForAll ? '*' : subsystem}' to '${shown}'\n`
      log.write('info', { logger: 'core/commands', caller: 'commands/log.go:153' }, () => Message)
      return single({ Message })
    }
    if (subsystem === '') return single({ Levels: { '': log.defaultLevel } })
    if (!isForAll) return single({ Levels: { [subsystem]: log.level(subsystem) } })
    const known = log
      .subsystems()
      .sort()
      .map((name) => [name, log.level(name)] as const)
    return single({ Levels: Object.fromEntries([['(default)', log.defaultLevel], ...known]) })
  },
})

/** `log/ls`: lists the subsystems. */
export const logLs = defineCommand({
  description: 'List the subsystems that log.',
  arguments: [],
  options: {},
  text: ({ Strings }: { Strings: string[] }) => linesOfText(Strings),
  run: (_, { log }) => single({ Strings: log.subsystems() }),
})

/** `log/tail`: streams log lines until the client disconnects. */
export const logTail = defineCommand({
  description: 'Follow the log.',
  arguments: [],
  options: {
    'log-level': { type: 'string', description: 'Minimum level to show, regardless of the levels set.' },
  },
  run({ options, signal }, { log }) {
    const { 'log-level': level = '' } = options
    const wanted =
      level === '' ? undefined : withPrefix(`setting log level ${level}: `, () => parseLevel(level))
    return bytes(encode(log.follow(wanted, signal)))
  },
})

async function* encode(lines: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`)
}
