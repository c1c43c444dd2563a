import type { Chain } from '../chain/chain.js'
import { ImportError } from '../chain/errors.js'
import { MovableSchedule } from '../chain/evm/forkSchedule.js'
import { type ImportFileOptions, importFile } from '../chain/import/chainFile.js'
import { Mempool } from '../chain/mempool/mempool.js'
import { restartFromGenesis, genesisHash, openBase, openChain } from '../chain/open.js'
import { MAX_UINT64 } from '../encoding/bigints.js'
import { bytesToHex } from '../encoding/hex.js'
import type { NodeSettings } from '../options.js'
import { type CompatibilityProfile, compatibilityProfile } from '../rpc/compatibility.js'
import { forkedMethods } from '../rpc/fork/forkedMethods.js'
import { blockEncoder } from '../rpc/format/block.js'
import type { Method } from '../rpc/method.js'
import { registry } from '../rpc/registry.js'
import { type NetworkManifest, admitNetwork } from '../storage/manifest.js'
import { ChainBases, type OpenedBase } from './chainBases.js'
import { ChainFileError, identityOf } from './chainSource.js'
import { keepBaseFee } from './reset.js'
import type { NetworkRequest } from './network.js'
import type { Origin } from './origin.js'

/** A network's chain on its home base. */
export interface OpenedChain {
  chain: Chain
  /** Fork rules of the chain, which change with its base. */
  schedules: MovableSchedule
  opened: OpenedBase
  /** The network's manifest entry. */
  entry: NetworkManifest
}

/**
 * Opens a network's chain: continues from its data, or starts it and adds it to the manifest. Imports the blocks of a
 * file, if given.
 *
 * @throws DataDirectoryError if the data belongs to another chain
 * @throws ChainFileError if a block of the file is invalid
 */
export async function openNetworkChain(
  request: NetworkRequest,
  origin: Origin,
  compatibility: CompatibilityProfile,
): Promise<OpenedChain> {
  const { manifest, numbers } = request.data
  const index = manifest.networks[request.name]?.index ?? numbers.allocateLowest()
  try {
    return await openChainAt(index, request, { origin, compatibility })
  } finally {
    numbers.release(index)
  }
}

async function openChainAt(
  index: number,
  request: NetworkRequest,
  { origin, compatibility }: { origin: Origin; compatibility: CompatibilityProfile },
): Promise<OpenedChain> {
  const { name, settings, data, files } = request
  const { source, fork, limits, funds } = origin
  const { manifest } = data
  const known = manifest.networks[name]
  const identity = { ...identityOf(source), index }
  if (known !== undefined) admitNetwork(manifest, name, { ...identity, genesisHash: known.genesisHash })
  const schedule = source.schedule.with({ ...limits, isFork: fork !== undefined })
  const schedules = new MovableSchedule(schedule)
  const chain = await openChain({
    database: data.database,
    caches: data.caches,
    encoder: blockEncoder,
    network: index,
    chainId: source.chainId,
    schedule: schedules,
    clock: origin.clock,
    mempool: new Mempool(schedules, {
      order: settings.order,
      withoutFunds: settings.disablePoolBalanceChecks,
    }),
    coinbase: compatibility.coinbase,
    randomness: compatibility.blockRandomness,
    distances: distances(settings, compatibility),
    maximumTransactions: settings.maxTransactions,
    ...(settings.disableBlockGasLimit && { maximumGas: MAX_UINT64 }),
    genesis: source.genesis,
    fork: fork && { ...fork, ...funds },
    report: (fault) => request.report('events', fault),
  })
  const { states, blocks } = chain.stores
  // A reset may have replaced the chain: its identity is the first block that it ever had.
  const original = blocks.byOrdinal(0) ?? chain.first
  const hash = source.isGiven ? await genesisHash(states, source.genesis()) : original.hash
  const entry = admitNetwork(manifest, name, { ...identity, genesisHash: bytesToHex(hash) })
  if (fork !== undefined) entry.forkBlock = fork.header.number.toString()
  if (known === undefined) data.saveManifest()
  if (files?.import !== undefined) await importBlocks({ chain, path: files.import, progress: files.progress })
  if (known === undefined && fork === undefined) keepBaseFee(chain, compatibility)
  return { chain, schedules, opened: { index, base: chain.base, schedule, fork }, entry }
}

function distances(settings: NodeSettings, compatibility: CompatibilityProfile) {
  const { safeDistance, finalizedDistance, slotsInAnEpoch } = settings
  const isGiven = slotsInAnEpoch !== undefined || safeDistance > 0 || finalizedDistance > 0
  const epoch = isGiven ? slotsInAnEpoch : compatibility.slotsInAnEpoch
  return epoch === undefined
    ? { safe: BigInt(safeDistance), finalized: BigInt(finalizedDistance) }
    : { safe: BigInt(epoch), finalized: BigInt(2 * epoch) }
}

/** The bases of a chain, and the methods offered on the current one. */
export interface ChainBaseSet {
  bases: ChainBases
  /** By name; updated in place when the chain moves to another base. */
  offered: ReadonlyMap<string, Method>
}

/**
 * Returns the chain to the base to which a reset had taken it before the node stopped; otherwise it stays at home.
 *
 * @throws ForkError if the remote of that base cannot be used
 */
export async function openBases(
  request: NetworkRequest,
  origin: Origin,
  home: OpenedChain,
): Promise<ChainBaseSet> {
  const { settings, data } = request
  const { withheldMethods } = compatibilityProfile(settings.compat)
  const methods = new Map([
    ...[...registry].filter(([name]) => !withheldMethods.has(name)),
    ...request.methods.map((method) => [method.name, method] as const),
  ])
  const offered = new Map<string, Method>()
  const bases = new ChainBases({
    chain: home.chain,
    home: home.opened,
    schedules: home.schedules,
    data,
    entry: home.entry,
    settings,
    caches: origin.caches,
    reads: request.remoteReads,
    renew: (base) =>
      restartFromGenesis(base, {
        database: data.database,
        chainId: origin.source.chainId,
        schedule: home.opened.schedule,
        genesis: origin.source.genesis,
      }),
    open: async (fork, index) => {
      const { chainId, schedule: forks, genesis } = origin.chainOn(fork)
      const schedule = forks.with({ ...origin.limits, isFork: true })
      const base = await openBase({
        database: data.database,
        caches: data.caches,
        encoder: blockEncoder,
        network: index,
        chainId,
        schedule,
        genesis,
        fork: { ...fork, ...origin.funds },
      })
      return { schedule, base }
    },
    entered: (fork) => {
      const entries = fork === undefined ? methods : forkedMethods(methods, fork.remote)
      for (const [name, method] of entries) offered.set(name, method)
    },
  })
  await bases.resume()
  return { bases, offered }
}

/**
 * Imports the blocks of a chain file.
 *
 * @throws ChainFileError with the file's name, if it cannot be read or a block is invalid
 */
async function importBlocks(options: ImportFileOptions): Promise<void> {
  try {
    await importFile(options)
  } catch (error) {
    if (error instanceof ImportError) throw new ChainFileError(`${options.path}: ${error.message}`)
    if (error instanceof Error && 'syscall' in error) throw new ChainFileError(`--import: ${error.message}`)
    throw error
  }
}
