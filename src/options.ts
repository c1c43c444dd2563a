import { type CommandSources, readCommandSettings } from './options/command.js'
import { commandOptions, ignoredOptions } from './options/commandOptions.js'
import type { OptionDefinition } from './options/kinds.js'
import type { NodeOptions } from './options/nodeOptions.js'
import { checkValues, nodeOptionDefinitions } from './options/read.js'

export type { NodeOptions } from './options/nodeOptions.js'
export { OptionError } from './options/kinds.js'

/** All command-line options: those of a node and those of the command itself. */
export const optionDefinitions = { ...nodeOptionDefinitions, ...commandOptions, ...ignoredOptions }

type OutputOf<Definition> = Definition extends OptionDefinition<infer Output, infer _> ? Output : never

/** Node options after checking, with defaults filled in. */
export type NodeSettings = {
  [Name in keyof typeof nodeOptionDefinitions]: OutputOf<(typeof nodeOptionDefinitions)[Name]>
}

/** Command options after checking, with defaults filled in. */
export type CommandSettings = {
  [Name in keyof typeof optionDefinitions]: OutputOf<(typeof optionDefinitions)[Name]>
}

/**
 * Checks options given by a program and fills in the defaults.
 *
 * @throws OptionError naming the first option that is unknown or has a bad value
 */
export function parseNodeOptions(options: NodeOptions): NodeSettings {
  return checkValues(nodeOptionDefinitions, { ...options }, (name) => name) as NodeSettings
}

/**
 * Reads the command's options from its words, the environment and the configuration file.
 *
 * @throws OptionError with one line for the user
 */
export function parseCommandOptions(sources: CommandSources): CommandSettings {
  return readCommandSettings(optionDefinitions, sources) as CommandSettings
}
