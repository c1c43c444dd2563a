import type { Method } from '../method.js'
import { buildBlockV1 } from './testing/buildBlockV1.js'

/** The methods whose names begin with `testing_`. */
export const testingMethods: readonly Method[] = [buildBlockV1]
