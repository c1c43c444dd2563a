import { cassetteOptions } from './cassetteOptions.js'
import { chainOptions } from './chainOptions.js'
import { devnetOptions } from './devnetOptions.js'
import { fileOptions } from './fileOptions.js'
import { forkOptions } from './forkOptions.js'
import { type OptionDefinition, OptionError } from './kinds.js'
import { providerOptions } from './providerOptions.js'
import { serverOptions } from './serverOptions.js'

/** Any option, where its types do not matter. */
export type AnyOption = OptionDefinition<unknown, unknown>

/**
 * Checks one value.
 *
 * @param where - how the user gave it: `--port`, `STANDIN_PORT`, `port in config.json`
 * @throws OptionError if the option does not accept the value
 */
export function checkValue(definition: AnyOption, value: unknown, where: string): unknown {
  const checked = definition.kind.check(value)
  if (checked !== undefined) return checked
  const given = definition.holdsSecrets ? 'something else (not shown: it may hold a secret)' : show(value)
  throw new OptionError(`${where}: expected ${definition.kind.expected}, got ${given}`)
}

/**
 * Checks the properties of an object against definitions and fills in the defaults.
 *
 * @param nameWhere - names a property in error messages
 * @throws OptionError naming the first option that is unknown or has a bad value
 */
export function checkValues(
  definitions: Readonly<Record<string, AnyOption>>,
  values: Readonly<Record<string, unknown>>,
  nameWhere: (property: string) => string,
): Record<string, unknown> {
  const unknownName = Object.keys(values).find((name) => !Object.hasOwn(definitions, name))
  if (unknownName !== undefined) throw new OptionError(`unknown option ${nameWhere(unknownName)}`)
  const settings: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(definitions)) {
    const value = values[name]
    settings[name] = value === undefined ? definition.default : checkValue(definition, value, nameWhere(name))
  }
  return settings
}

function show(value: unknown): string {
  // JSON cannot represent NaN and Infinity.
  if (typeof value === 'number') return String(value)
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)) ?? String(value)
}

/** All options of a node; source of flags, environment variables, configuration file, help and documentation. */
export const nodeOptionDefinitions = {
  ...serverOptions,
  ...chainOptions,
  ...forkOptions,
  ...devnetOptions,
  ...providerOptions,
  ...cassetteOptions,
  ...fileOptions,
}
