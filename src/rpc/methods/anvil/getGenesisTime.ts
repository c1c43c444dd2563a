import { defineMethod } from '../../method.js'

/** anvil_getGenesisTime: the time of the first block in seconds. */
export const getGenesisTime = defineMethod('anvil_getGenesisTime', [], ({ backend }) =>
  Number(backend.controls.genesisTime()),
)
