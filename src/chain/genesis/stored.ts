import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'

/** Where the genesis file of a chain is kept. */
export function genesisKey(keys: Pick<Keyspace, 'setting'>): Uint8Array {
  return keys.setting('genesis')
}

/** The text of the genesis file that a chain began with; undefined if the chain has not begun. */
export function storedGenesis(
  database: Pick<Database, 'get'>,
  keys: Pick<Keyspace, 'setting'>,
): string | undefined {
  const bytes = database.get(genesisKey(keys))
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}
