import { readFileSync } from 'node:fs'
import type { NodeSettings } from '../options.js'
import { checkConfiguration } from '../provider/checkConfiguration.js'
import { ConfigurationError } from '../provider/errors.js'
import { faultsFileSchema } from '../provider/faults/faultSchema.js'
import type { KeysFile } from '../provider/keys/keysFile.js'
import { parseKeysFile } from '../provider/keys/keysFile.js'
import { parseKeyFlag } from '../provider/mode.js'
import type { Provider } from '../provider/provider.js'

/**
 * The keys and plans of the keys file, and the keys given one by one.
 *
 * @throws ConfigurationError that names the file, the path to the value and what was expected.
 */
export function readKeys({ keys: file, key: given }: Pick<NodeSettings, 'keys' | 'key'>): KeysFile {
  const content = typeof file === 'string' ? readJsonFile('--keys', file) : (file ?? { keys: [] })
  const { keys, plans } = parseKeysFile(content, typeof file === 'string' ? file : 'keys')
  for (const key of given.map(parseKeyFlag)) {
    if (keys.some((other) => other.key === key.key)) {
      throw new ConfigurationError(`--key: ${key.key} is there twice`)
    }
    keys.push(key)
  }
  return { keys, plans }
}

/**
 * Sets the faults of the faults file and of the scenarios that were asked for.
 *
 * @throws ConfigurationError
 */
export function setFaults(
  provider: Provider,
  { faults: file, scenario }: Pick<NodeSettings, 'faults' | 'scenario'>,
): void {
  if (file !== undefined) {
    const content = typeof file === 'string' ? readJsonFile('--faults', file) : file
    const where = typeof file === 'string' ? file : 'faults'
    const { faults } = checkConfiguration(faultsFileSchema, content, where)
    for (const fault of faults) provider.faults.set(fault)
  }
  for (const name of scenario) provider.startScenario(name)
}

function readJsonFile(flag: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigurationError(
      `${flag}: ${path}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}
