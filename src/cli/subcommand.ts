import { parseArgs } from 'node:util'
import { OptionError } from '../options.js'
import { errorText } from '../encoding/errorText.js'

/** Parsed words of a subcommand: flag values and positional words. */
export interface SubcommandArguments<Flag extends string> {
  values: Partial<Record<Flag, string>>
  positionals: string[]
}

/**
 * Parses the words after a subcommand's name.
 *
 * @param flags - without dashes; each takes a value
 * @returns undefined if help was requested
 * @throws OptionError that begins with the subcommand's name
 */
export function parseSubcommand<const Flag extends string>(
  name: string,
  words: readonly string[],
  flags: readonly Flag[],
): SubcommandArguments<Flag> | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(flags.map((flag) => [flag, { type: 'string' as const }])),
        help: { type: 'boolean', short: 'h' },
      },
    })
    return values.help === true
      ? undefined
      : { values: values as SubcommandArguments<Flag>['values'], positionals }
  } catch (error) {
    throw new OptionError(`${name}: ${errorText(error)}`)
  }
}

/** Returns the data directory of a subcommand: from --data-dir, or from the environment. @throws OptionError */
export function requireDataDir(name: string, given: string | undefined): string {
  const dataDir = given ?? process.env['STANDIN_DATA_DIR']
  if (dataDir === undefined || dataDir === '') throw new OptionError(`${name}: --data-dir is missing`)
  return dataDir
}

/** Refuses superfluous words. @throws OptionError */
export function refuseMore(name: string, [unexpected]: readonly string[]): void {
  if (unexpected !== undefined) throw new OptionError(`${name}: unexpected argument ${unexpected}`)
}
