import type { Method } from '../method.js'
import { sign } from './personal/sign.js'

/** The methods whose names begin with `personal_`. */
export const personalMethods: readonly Method[] = [sign]
