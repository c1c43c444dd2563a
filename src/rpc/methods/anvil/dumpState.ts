import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { bytesToHex } from '../../../encoding/hex.js'
import { writeDump } from '../../dump/writeDump.js'
import { defineMethod, optional } from '../../method.js'
import { anything } from '../../params/anything.js'

/**
 * anvil_dumpState: the state with its blocks as gzip of JSON. Past states are not in it, whether they are asked for or
 * not.
 */
export const dumpState = defineMethod(
  'anvil_dumpState',
  [optional('preserveHistory', anything)],
  async ({ backend: { chain: view, controls } }) =>
    controls.exportState(async (accounts) => {
      const text = Readable.from(writeDump({ view, accounts }))
      return bytesToHex(await pipeline(text, createGzip(), (compressed) => buffer(compressed)))
    }),
)
