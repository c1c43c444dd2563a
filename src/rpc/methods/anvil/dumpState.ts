import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { DumpLimits } from '../../dump/readDump.js'
import { StateDumpError } from '../../dump/readPart.js'
import { writeDump } from '../../dump/writeDump.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { anything, data } from '../../params/bytes.js'
import { WireBytes, type WirePiece } from '../../wire.js'

/**
 * Code of an account may be as long as that of anvil_setCode, 8 MiB. Longer strings, objects of more members, or more
 * of them, would stop other requests; the files of --load-state may have any number.
 */
const limits: DumpLimits = {
  length: 128 * 1024 * 1024,
  json: { elements: 2 ** 21, members: 170_000, containers: 2 ** 21, characters: 2 + 2 * 2 ** 23 },
}

/**
 * anvil_loadState: loads a dump from anvil_dumpState, here or in anvil, or the accounts of a geth genesis; returns
 * true.
 */
export const loadState = defineMethod(
  'anvil_loadState',
  [required('dump', data)],
  async ({ backend }, dump) => {
    const { readDump } = await import('../../dump/readDump.js')
    try {
      await backend.controls.importState(await readDump(dump, backend.chain, limits))
      return true
    } catch (error) {
      if (error instanceof StateDumpError) throw new InvalidParamsError(error.message)
      throw error
    }
  },
)

/** Maximum compressed bytes per piece of a dump. */
const COMPRESSED_AT_ONCE = 64 * 1024

/** Writes a stream as a JSON string of `0x` and hexadecimal digits, in pieces: there may be tens of megabytes. */
async function wireHex(stream: AsyncIterable<Buffer>): Promise<WireBytes> {
  const pieces: WirePiece[] = ['"0x']
  for await (const piece of stream) pieces.push(Buffer.from(piece.toString('hex'), 'latin1'))
  pieces.push('"')
  return new WireBytes(pieces)
}

/** anvil_dumpState: returns the state and blocks as gzipped JSON, without historical states even if requested. */
export const dumpState = defineMethod(
  'anvil_dumpState',
  [optional('preserveHistory', anything)],
  async ({ backend: { chain: view, controls }, context: { signal } }) =>
    controls.exportState(async (accounts) => {
      const text = Readable.from(writeDump({ view, accounts, signal }))
      return pipeline(text, createGzip({ chunkSize: COMPRESSED_AT_ONCE }), wireHex)
    }, signal),
)
