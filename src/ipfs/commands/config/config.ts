import { describeJsonFault } from '../../../encoding/syntaxError.js'
import { goJson, goJsonIndented } from '../../request/reply.js'
import type { Configuration } from '../../configuration/configuration.js'
import { type JsonObject, isObject } from '../../configuration/schema.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import {
  defineCommand,
  fileArgument,
  nothing,
  optionalArgument,
  pathArgument,
  readFileArgument,
  single,
} from '../../request/command.js'
import { goQuote } from '../../text/goQuote.js'
import { trimBoth } from '../../text/trim.js'

/** `config`: shows or changes a setting. */
export const config = defineCommand({
  description: 'Show or change a setting.',
  arguments: [
    pathArgument('key', 'Setting, such as `Import.CidVersion`.'),
    optionalArgument('value', 'New value.'),
  ],
  options: {
    bool: { type: 'bool', description: 'Parse the value as a boolean.' },
    json: { type: 'bool', description: 'Parse the value as JSON.' },
    'expand-auto': { type: 'bool', description: 'No effect: there are no automatic values.' },
  },
  *text({ Value }: { Value: unknown }, { args }) {
    if (args.length === 2) return
    if (typeof Value === 'string') yield trimBoth(Value, '\n')
    else yield* indentedPieces(Value)
    yield '\n'
  },
  async run({ args, options }, { configuration }) {
    const [key = '', text = ''] = args
    if (/^identity(\.privkey)?$/i.test(key)) {
      throw new FileNetworkError('cannot show or change private key through API')
    }
    if (concealsCredentials(key)) {
      throw new FileNetworkError('cannot show or change pinning services credentials')
    }
    // Given more than two arguments, Kubo only reads.
    if (args.length === 2) {
      if (options['expand-auto']) {
        throw new FileNetworkError(
          '--expand-auto can only be used for reading config values, not for setting them',
        )
      }
      await set(configuration, key, options.json ? parseJson(text) : options.bool ? text === 'true' : text)
    }
    return single({ Key: key, Value: get(configuration, key) })
  },
})

/** Encodes a value over several lines, section by section: there may be a megabyte of settings. */
function* indentedPieces(value: unknown, indent = ''): Generator<string> {
  const members = isObject(value) ? Object.entries(value).filter(([, member]) => member !== undefined) : []
  if (members.length === 0) {
    yield goJsonIndented(value, '  ').replace(/\n/g, `\n${indent}`)
    return
  }
  for (const [index, [name, member]] of members.entries()) {
    yield `${index === 0 ? '{' : ','}\n${indent}  ${goJson(name)}: `
    yield* indentedPieces(member, `${indent}  `)
  }
  yield `\n${indent}}`
}

/** Whether a key would expose the keys of pinning services, at `Pinning.RemoteServices.*.API.Key`. */
function concealsCredentials(key: string): boolean {
  const hidden = ['pinning', 'remoteservices', '*', 'api', 'key']
  const parts = key.toLowerCase().split('.')
  return hidden.every((part, index) => index >= parts.length || part === '*' || parts[index] === part)
}

function parseJson(text: string): unknown {
  const fault = describeJsonFault(text)
  if (fault !== undefined) throw new FileNetworkError(`failed to unmarshal json. ${fault}`)
  const [tooLarge] = numbersOf(text).filter((number) => !Number.isFinite(Number(number)))
  if (tooLarge !== undefined) {
    throw new FileNetworkError(
      `failed to unmarshal json. json: cannot unmarshal number ${tooLarge} into Go value of type float64`,
    )
  }
  return JSON.parse(text)
}

/** Returns the number literals of a JSON text. */
function numbersOf(json: string): string[] {
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, '""').match(/-?\d[\d.eE+-]*/g) ?? []
}

async function set(configuration: Configuration, key: string, value: unknown): Promise<void> {
  try {
    await configuration.set(key, value)
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    throw new FileNetworkError(`failed to set config value: ${error.message} (maybe use --json?)`)
  }
}

function get(configuration: Configuration, key: string): unknown {
  try {
    return configuration.get(key)
  } catch (error) {
    throw new FileNetworkError(`failed to get config value: ${goQuote(errorText(error))}`)
  }
}

/** `config/profile/apply`: applies one of Kubo's profiles to the configuration. */
export const configProfileApply = defineCommand({
  description: 'Apply a profile to the configuration.',
  arguments: [pathArgument('profile', 'Profile, such as `unixfs-v1-2025`.')],
  options: { 'dry-run': { type: 'bool', description: 'Show the changes without making them.' } },
  async run({ args: [name = ''], options }, { configuration }) {
    const { before, after } = await configuration.applyProfile(name, { isTrial: options['dry-run'] === true })
    return single({ OldCfg: before, NewCfg: after })
  },
})

/** The longest accepted configuration, in bytes. It is parsed in one step. */
const CONFIGURATION_LIMIT = 64 * 1024

/** `config/replace`: sets everything in a file, in the format of `config/show`. */
export const configReplace = defineCommand({
  description: 'Replace the configuration.',
  arguments: [fileArgument('file', 'Configuration file.')],
  options: {},
  async run({ upload }, { configuration }) {
    const given = parse(await readFileArgument(upload, CONFIGURATION_LIMIT))
    const identity = given['Identity'] as { PrivKey?: string } | null | undefined
    if (identity?.PrivKey && typeof identity.PrivKey === 'string')
      throw new FileNetworkError('setting private key with API is not supported')
    await merge(given, (value) => configuration.merge(value))
    return nothing()
  },
})

function parse(bytes: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  } catch {
    // Reported below.
  }
  throw undecodable()
}

async function merge(given: JsonObject, apply: (value: JsonObject) => Promise<void>): Promise<void> {
  try {
    await apply(given)
  } catch (error) {
    throw error instanceof FileNetworkError ? undecodable() : error
  }
}

function undecodable(): FileNetworkError {
  return new FileNetworkError('failed to decode file as config')
}

/** `config/show`: shows all settings, without the private key. */
export const configShow = defineCommand({
  description: 'Show the configuration.',
  arguments: [],
  options: {},
  *text(settings: JsonObject) {
    yield* indentedPieces(settings)
    yield '\n'
  },
  run: (_, { configuration }) => single(configuration.show()),
})
