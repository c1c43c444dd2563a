import { crc32 } from 'node:zlib'
import { encodeNumber } from '../../storage/keyspace.js'
import type { StoredBlock } from '../block/record.js'
import type { BlobSchedule, ForkActivation, ForkSchedule, Hardfork } from '../evm/forkSchedule.js'
import type { Fields } from './fields.js'

/** Forks before the merge in order, with their names in a geth genesis (geth: params/config.go, ChainConfig). */
const blockForks = [
  ['homestead', 'homesteadBlock'],
  ['dao', 'daoForkBlock'],
  ['tangerineWhistle', 'eip150Block'],
  ['spuriousDragon', 'eip158Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['muirGlacier', 'muirGlacierBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
  ['arrowGlacier', 'arrowGlacierBlock'],
  ['grayGlacier', 'grayGlacierBlock'],
] as const satisfies readonly (readonly [Hardfork, string])[]

/** Forks that a chain may skip. */
const skippableForks: ReadonlySet<Hardfork> = new Set(['dao', 'muirGlacier', 'arrowGlacier', 'grayGlacier'])

/** Forks since the merge. */
const timeForks = [
  ['shanghai', 'shanghaiTime'],
  ['cancun', 'cancunTime'],
  ['prague', 'pragueTime'],
  ['osaka', 'osakaTime'],
  ['bpo1', 'bpo1Time'],
  ['bpo2', 'bpo2Time'],
  ['bpo3', 'bpo3Time'],
  ['bpo4', 'bpo4Time'],
  ['bpo5', 'bpo5Time'],
] as const satisfies readonly (readonly [Hardfork, string])[]

/** Forks that these rules do not support. */
const unknownForks = ['amsterdamTime', 'bogotaTime', 'verkleTime', 'ubtTime']

/** Forks that need no blob schedule in the genesis, because mainnet's is known. */
const knownSchedules: ReadonlySet<Hardfork> = new Set(['cancun', 'prague', 'osaka', 'bpo1', 'bpo2'])

/**
 * Reads the forks of a chain from the `config` of a geth genesis.
 *
 * @throws GenesisError if a fork is unsupported, or they are out of order
 */
export function readForks(config: Fields): [ForkActivation, ...ForkActivation[]] {
  for (const name of unknownForks) {
    if (config.has(name)) config.refuse(name, 'this fork is not supported')
  }
  const before = readBlockForks(config)
  const after = readTimeForks(config)
  const totalDifficulty = config.optionalNumber('terminalTotalDifficulty', 256)
  if (totalDifficulty === undefined) {
    if (after.length > 0)
      config.refuse('terminalTotalDifficulty', 'is missing, and forks after the merge are set')
    return [{ hardfork: 'chainstart', from: { block: 0n } }, ...before]
  }
  if (!before.some(({ hardfork }) => hardfork === 'london')) {
    config.refuse('londonBlock', 'is missing, and terminalTotalDifficulty is set')
  }
  const split = config.optionalNumber('mergeNetsplitBlock')
  return [
    { hardfork: 'chainstart', from: { block: 0n } },
    ...before,
    { hardfork: 'paris', from: { totalDifficulty } },
    ...(split === undefined ? [] : [{ hardfork: 'mergeNetsplitBlock' as const, from: { block: split } }]),
    ...after,
  ]
}

function readBlockForks(config: Fields): ForkActivation[] {
  const activations: ForkActivation[] = []
  let latest = { name: '', block: 0n }
  let missing: string | undefined
  for (const [hardfork, name] of blockForks) {
    const block =
      config.optionalNumber(name) ??
      (hardfork === 'petersburg' ? latestConstantinople(activations) : undefined)
    if (block === undefined) {
      if (!skippableForks.has(hardfork)) missing ??= name
      continue
    }
    if (missing !== undefined) config.refuse(name, `is set, but ${missing} before it is not`)
    if (block < latest.block) {
      config.refuse(name, `is ${block}, but ${latest.name} before it is ${latest.block}`)
    }
    latest = { name, block }
    if (hardfork === 'dao' && config.boolean('daoForkSupport') !== true) continue
    activations.push({ hardfork, from: { block } })
  }
  checkTwin(config)
  return activations
}

/** Returns the block of Constantinople, the default for Petersburg (geth: params/config.go, IsPetersburg). */
function latestConstantinople(activations: readonly ForkActivation[]): bigint | undefined {
  const from = activations.find(({ hardfork }) => hardfork === 'constantinople')?.from
  return from !== undefined && 'block' in from ? from.block : undefined
}

/**
 * Requires EIP-155 and EIP-158 at the same block: they were one fork on mainnet, and these rules cannot separate them.
 */
function checkTwin(config: Fields): void {
  const [eip155, eip158] = [config.optionalNumber('eip155Block'), config.optionalNumber('eip158Block')]
  if (eip155 === eip158) return
  config.refuse('eip155Block', `is ${eip155 ?? 'missing'}, but eip158Block is ${eip158 ?? 'missing'}`)
}

function readTimeForks(config: Fields): ForkActivation[] {
  const schedules = config.object('blobSchedule')
  const activations: ForkActivation[] = []
  let latest = { name: '', timestamp: 0n }
  let missing: string | undefined
  for (const [hardfork, name] of timeForks) {
    const timestamp = config.optionalNumber(name)
    if (timestamp === undefined) {
      missing ??= name
      continue
    }
    const isBlobFork = hardfork.startsWith('bpo')
    if (missing !== undefined && !(isBlobFork && missing.startsWith('bpo'))) {
      config.refuse(name, `is set, but ${missing} before it is not`)
    }
    if (timestamp < latest.timestamp) {
      config.refuse(name, `is ${timestamp}, but ${latest.name} before it is ${latest.timestamp}`)
    }
    latest = { name, timestamp }
    activations.push({ hardfork, from: { timestamp }, blobSchedule: readBlobSchedule(schedules, hardfork) })
  }
  return activations
}

function readBlobSchedule(schedules: Fields, hardfork: Hardfork): BlobSchedule | undefined {
  if (hardfork === 'shanghai') return undefined
  if (!schedules.has(hardfork)) {
    return knownSchedules.has(hardfork) ? undefined : schedules.refuse(hardfork, 'is missing')
  }
  const schedule = schedules.object(hardfork)
  const [target, max] = [schedule.number('target'), schedule.number('max')]
  if (max < target) schedule.refuse('max', `is ${max}, less than the target ${target}`)
  const baseFeeUpdateFraction = schedule.number('baseFeeUpdateFraction')
  if (baseFeeUpdateFraction === 0n) schedule.refuse('baseFeeUpdateFraction', 'is zero')
  return { target, max, baseFeeUpdateFraction }
}

/**
 * Returns the 4-byte fork hash, once all forks by block number and those up to a time are active: FORK_HASH of EIP-2124
 * with the timestamps of EIP-6122.
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

/** Returns the distinct numbers in ascending order. */
function distinct(numbers: readonly bigint[]): bigint[] {
  return [...new Set(numbers)].sort((a, b) => (a < b ? -1 : 1))
}
