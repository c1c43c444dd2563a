import type { Method } from '../method.js'
import { setEtherbase } from './miner/setEtherbase.js'
import { setExtra } from './miner/setExtra.js'
import { setGasPrice } from './miner/setGasPrice.js'
import { start } from './miner/start.js'
import { stop } from './miner/stop.js'

/** The methods whose names begin with `miner_`. */
export const minerMethods: readonly Method[] = [setEtherbase, setExtra, setGasPrice, start, stop]
