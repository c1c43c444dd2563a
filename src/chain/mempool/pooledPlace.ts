import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'

/** Where waiting transactions are kept. The members may change while nothing is kept. */
export interface PooledPlace {
  readonly database: Database
  readonly keys: Keyspace
}
