import { crc32 } from 'node:zlib'
import { encodeNumber } from '../../storage/keyspace.js'
import type { StoredBlock } from '../block/record.js'
import type { ForkSchedule } from '../evm/forkSchedule.js'

/**
 * The 4 bytes that tell the chains of different forks apart, once every fork by block number and those up to a time are
 * in force: FORK_HASH of EIP-2124 with the timestamps of EIP-6122.
 *
 * @param time - seconds
 */
export function forkHash(
  genesis: Pick<StoredBlock, 'hash' | 'header'>,
  { activations }: Pick<ForkSchedule, 'activations'>,
  time: bigint,
): Uint8Array {
  const { number, timestamp } = genesis.header
  const blocks = activations.flatMap(({ from }) =>
    'block' in from && from.block > number ? [from.block] : [],
  )
  const times = activations.flatMap(({ from }) =>
    'timestamp' in from && from.timestamp > timestamp && from.timestamp <= time ? [from.timestamp] : [],
  )
  const forks = [...distinct(blocks), ...distinct(times)]
  const checksum = forks.reduce((sum, fork) => crc32(encodeNumber(fork), sum), crc32(genesis.hash))
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, checksum)
  return bytes
}

/** The numbers in rising order, each once. */
function distinct(numbers: readonly bigint[]): bigint[] {
  return [...new Set(numbers)].sort((a, b) => (a < b ? -1 : 1))
}
