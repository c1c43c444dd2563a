import { randomBytes } from 'node:crypto'
import { type Mode, isLoopbackHost } from './admission/admission.js'
import { type ApiKey, createApiKey } from './keys/apiKey.js'

/** What decides who gets in when nothing says so. */
export interface ModeChoice {
  /** The mode that was asked for. */
  mode: Mode | undefined
  hosts: readonly string[]
  keys: readonly ApiKey[]
}

/** The mode of a node, the keys it starts with, and what it tells about them. */
export interface ModeDecision {
  mode: Mode
  keys: readonly ApiKey[]
  /** A key that was made up because the node listens to other machines and none was given. */
  generatedKey: ApiKey | undefined
  warnings: readonly string[]
}

/** Keys, or an address that other machines reach, make a node guarded unless a mode is asked for. */
export function decideMode({ mode, hosts, keys }: ModeChoice): ModeDecision {
  const foreign = hosts.filter((host) => !isLoopbackHost(host))
  const decided = mode ?? (keys.length > 0 || foreign.length > 0 ? 'guarded' : 'open')
  const generatedKey =
    decided !== 'open' && keys.length === 0 && foreign.length > 0 ? generateKey() : undefined
  const warning = `listening on ${foreign.join(', ')}: other machines reach this node (mode ${decided})`
  return {
    mode: decided,
    keys: generatedKey === undefined ? keys : [generatedKey],
    generatedKey,
    warnings: foreign.length > 0 ? [warning] : [],
  }
}

function generateKey(): ApiKey {
  return createApiKey(randomBytes(16).toString('hex'), randomBytes(16).toString('hex'))
}

/** Reads `KEY` or `KEY:SECRET`. */
export function parseKeyFlag(text: string): ApiKey {
  const colon = text.indexOf(':')
  return colon < 0 ? createApiKey(text) : createApiKey(text.slice(0, colon), text.slice(colon + 1))
}
