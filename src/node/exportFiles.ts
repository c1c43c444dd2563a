import { open, writeFile, type FileHandle } from 'node:fs/promises'
import { BlockStore } from '../chain/block/store.js'
import { exportChain } from '../chain/import/chainFile.js'
import { parseGethGenesis } from '../chain/genesis/gethGenesis.js'
import { storedGenesis } from '../chain/genesis/formatGenesis.js'
import { loadHead } from '../chain/head/position.js'
import { standardNetwork } from '../provider/networks.js'
import { blockEncoder } from '../rpc/format/block.js'
import type { Database } from '../storage/database.js'
import { DataDirectoryError } from '../storage/errors.js'
import { keyspaceOf } from '../storage/keyspace.js'
import { withStoredData } from './storedData.js'

/** Bytes written at a time. */
const CHUNK = 1024 * 1024

/** Chain to export, and its destination. */
export interface ExportRequest {
  dataDir: string
  /** Name of the network; the standard one by default. */
  network: string | undefined
  /** File for the blocks. */
  file: string
  /** File for the genesis. */
  genesisFile: string
  /** Last block; the head by default. */
  to: bigint | undefined
}

/** The exported blocks. */
export interface Exported {
  first: bigint
  last: bigint
}

/**
 * Exports a chain's blocks and genesis to files for `--genesis` and `--import`. Writes nothing unless everything can be
 * exported.
 *
 * @throws DataDirectoryError if there is no such chain, or a node has it open
 * @throws ExportError if a block cannot be imported again
 */
export async function exportFiles(order: ExportRequest): Promise<Exported> {
  const { dataDir, network = standardNetwork } = order
  return withStoredData(dataDir, async ({ manifest, database }) => {
    const known = manifest.networks[network]
    if (known === undefined) throw new DataDirectoryError(`There is no chain ${network} in ${dataDir}.`)
    if (known.resetTo !== undefined) {
      throw new DataDirectoryError(
        `The chain ${network} in ${dataDir} is a fork of another chain and cannot be exported alone.`,
      )
    }
    return exportFrom(database, known.index, order)
  })
}

async function exportFrom(database: Database, network: number, order: ExportRequest): Promise<Exported> {
  const keys = keyspaceOf(network)
  const genesis = storedGenesis(database, keys)
  const blocks = await BlockStore.open({ database, keys, encoder: blockEncoder })
  const head = loadHead(database, keys, blocks)?.block
  const first = blocks.byOrdinal(0)?.header.number
  if (genesis === undefined || head === undefined || first === undefined) {
    throw new DataDirectoryError(`There is no chain in ${order.dataDir}.`)
  }
  blocks.endAt(head)
  const last = order.to ?? head.header.number
  const { schedule } = parseGethGenesis(genesis)
  await writeBlocks(order.file, exportChain({ blocks, schedule, first, last }))
  await writeFile(order.genesisFile, genesis)
  return { first: first + 1n, last }
}

/** Writes blocks to a file, which is not touched before the first one is available. */
async function writeBlocks(path: string, blocks: Iterator<Uint8Array>): Promise<void> {
  let next = blocks.next()
  const file = await open(path, 'w')
  try {
    while (next.done !== true) {
      const chunk: Uint8Array[] = []
      for (let bytes = 0; next.done !== true && bytes < CHUNK; next = blocks.next()) {
        chunk.push(next.value)
        bytes += next.value.length
      }
      await writeAll(file, Buffer.concat(chunk))
    }
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written)).bytesWritten
  }
}
