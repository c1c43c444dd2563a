import { readFileSync } from 'node:fs'
import type { NodeSettings } from '../options.js'
import { ConfigurationError } from '../provider/configuration.js'
import type { KeysFile } from '../provider/keys/keysFile.js'
import { type ModeDecision, decideMode, parseKeyFlag } from '../provider/mode.js'
import { knownPlans } from '../provider/plans/plan.js'
import { Provider } from '../provider/provider.js'
import type { NodeHooks } from './networks.js'
import { errorText } from '../encoding/errorText.js'

/**
 * Creates a node's provider from its settings, the keys file and the faults file.
 *
 * @throws ConfigurationError with the path to the invalid value
 */
export async function createProvider(
  settings: NodeSettings,
  hooks: NodeHooks,
): Promise<{ provider: Provider; decision: ModeDecision }> {
  const { keys, plans } = await readKeys(settings)
  const decision = decideMode({ mode: settings.mode, hosts: settings.host, keys })
  for (const warning of decision.warnings) hooks.warn?.(warning)
  const provider = new Provider({
    ...settings,
    mode: decision.mode,
    keys: decision.keys,
    plans,
    allowedOrigins: settings.allowOrigin,
    filesWithoutCredentials: settings.noIpfsAuth,
    onFailure: hooks.failure,
  })
  await setFaults(provider, settings)
  return { provider, decision }
}

/**
 * Reads the keys and plans of the keys file, and individually given keys.
 *
 * @throws ConfigurationError with the file, the path to the value and what was expected
 */
export async function readKeys({
  keys: file,
  key: given,
}: Pick<NodeSettings, 'keys' | 'key'>): Promise<KeysFile> {
  const { keys, plans } = file === undefined ? { keys: [], plans: knownPlans } : await readKeysFile(file)
  for (const key of given.map(parseKeyFlag)) {
    if (keys.some((other) => other.key === key.key)) {
      throw new ConfigurationError(`--key: ${key.key} is given twice`)
    }
    keys.push(key)
  }
  return { keys, plans }
}

/** Loads the schema only if there is a file, to keep startup fast. */
async function readKeysFile(file: NonNullable<NodeSettings['keys']>): Promise<KeysFile> {
  const { parseKeysFile } = await import('../provider/keys/keysFile.js')
  const content = typeof file === 'string' ? readJsonFile('--keys', file) : file
  return parseKeysFile(content, typeof file === 'string' ? file : 'keys')
}

/**
 * Sets the faults of the faults file and of the selected scenarios.
 *
 * @throws ConfigurationError
 */
async function setFaults(
  provider: Provider,
  { faults: file, scenario }: Pick<NodeSettings, 'faults' | 'scenario'>,
): Promise<void> {
  if (file !== undefined) {
    const [{ checkConfiguration }, { faultsFileSchema }] = await Promise.all([
      import('../provider/configuration.js'),
      import('../provider/faults/faultSchema.js'),
    ])
    const content = typeof file === 'string' ? readJsonFile('--faults', file) : file
    const where = typeof file === 'string' ? file : 'faults'
    const { faults } = checkConfiguration(faultsFileSchema, content, where)
    provider.faults.set(faults)
  }
  for (const name of scenario) provider.startScenario(name)
}

/** Reads a JSON file. @throws ConfigurationError with the flag and the file */
export function readJsonFile(flag: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${path}: ${errorText(error)}`)
  }
}
