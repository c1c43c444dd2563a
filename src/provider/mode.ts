import { randomBytes } from 'node:crypto'
import { type Mode, isLoopbackHost } from './admission/admission.js'
import { type ApiKey, createApiKey } from './keys/apiKey.js'

/** Inputs to the choice of the mode. */
export interface ModeChoice {
  /** The requested mode. */
  mode: Mode | undefined
  hosts: readonly string[]
  keys: readonly ApiKey[]
}

/** Mode of a node, its initial keys, and warnings to print. */
export interface ModeDecision {
  mode: Mode
  keys: readonly ApiKey[]
  /** Key generated because the node listens to other machines and none was given. */
  generatedKey: ApiKey | undefined
  warnings: readonly string[]
}

/** Decides the mode: unless one is requested, keys or an address reachable by other machines make a node guarded. */
export function decideMode({ mode, hosts, keys }: ModeChoice): ModeDecision {
  const foreign = hosts.filter((host) => !isLoopbackHost(host))
  const decided = mode ?? (keys.length > 0 || foreign.length > 0 ? 'guarded' : 'open')
  const generatedKey =
    decided !== 'open' && keys.length === 0 && foreign.length > 0 ? generateKey() : undefined
  const warning = `listening on ${foreign.join(', ')}: other machines can reach this node (mode ${decided})`
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

/** Parses `KEY` or `KEY:SECRET`. */
export function parseKeyFlag(text: string): ApiKey {
  const colon = text.indexOf(':')
  return colon < 0 ? createApiKey(text) : createApiKey(text.slice(0, colon), text.slice(colon + 1))
}
