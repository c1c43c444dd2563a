import { gzipSync } from 'node:zlib'
import { bytesToHex } from '../../../encoding/hex.js'
import { writeDump } from '../../dump/writeDump.js'
import { printJson } from '../../json.js'
import { defineMethod, optional } from '../../method.js'
import { anything } from '../../params/anything.js'

/**
 * anvil_dumpState: the state with its blocks as gzip of JSON. Past states are not in it, whether they are asked for or
 * not.
 */
export const dumpState = defineMethod(
  'anvil_dumpState',
  [optional('preserveHistory', anything)],
  async ({ backend }) => {
    const accounts = await backend.controls.exportAccounts()
    return bytesToHex(gzipSync(printJson(writeDump({ view: backend.chain, accounts }))))
  },
)
