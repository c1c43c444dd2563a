import type { Chain } from '../chain/chain.js'
import { MovableSchedule } from '../chain/execution/movableSchedule.js'
import { Mempool } from '../chain/mempool/mempool.js'
import { genesisHash, openChain } from '../chain/open.js'
import { bytesToHex } from '../encoding/hex.js'
import type { NodeSettings } from '../options.js'
import { blockEncoder } from '../rpc/format/blockEncoder.js'
import type { Habits } from '../rpc/habits.js'
import { admitNetwork, type NetworkManifest } from '../storage/manifest.js'
import type { Ground } from './chainBases.js'
import { identityOf } from './chainSource.js'
import { importBlocks } from './importBlocks.js'
import { keepBaseFee } from './keepBaseFee.js'
import type { NetworkRequest } from './network.js'
import type { Origin } from './origin.js'

/** More gas than any block has. */
const UNLIMITED_GAS = 2n ** 64n - 1n

/** A network's chain on what it was started on. */
export interface Home {
  chain: Chain
  /** The rules that hold for the chain; they move with it. */
  schedules: MovableSchedule
  ground: Ground
  /** What the manifest has of the network. */
  entry: NetworkManifest
}

/**
 * Opens the chain of a network on its origin: goes on where its data left it, or begins it and enters it in the
 * manifest. Blocks of a file are imported.
 *
 * @throws DataDirectoryError if the data belongs to another chain.
 * @throws ChainFileError if a block of the file does not check.
 */
export async function openHome(request: NetworkRequest, origin: Origin, habits: Habits): Promise<Home> {
  const { manifest, numbers } = request.data
  const index = manifest.networks[request.name]?.index ?? numbers.takeLeast()
  try {
    return await openUnder(index, request, { origin, habits })
  } finally {
    numbers.giveBack(index)
  }
}

async function openUnder(
  index: number,
  request: NetworkRequest,
  { origin, habits }: { origin: Origin; habits: Habits },
): Promise<Home> {
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
    coinbase: habits.coinbase,
    distances: distances(settings, habits),
    maximumTransactions: settings.maxTransactions,
    ...(settings.disableBlockGasLimit && { maximumGas: UNLIMITED_GAS }),
    genesis: source.genesis,
    fork: fork && { ...fork, ...funds },
    report: (fault) => request.report('events', fault),
  })
  const hash = source.isGiven ? await genesisHash(chain.stores.states, source.genesis()) : chain.first.hash
  const entry = admitNetwork(manifest, name, { ...identity, genesisHash: bytesToHex(hash) })
  if (fork !== undefined) entry.forkBlock = fork.header.number.toString()
  if (known === undefined) data.saveManifest()
  if (files?.import !== undefined) await importBlocks({ chain, path: files.import, progress: files.progress })
  if (known === undefined && fork === undefined) keepBaseFee(chain, habits)
  return { chain, schedules, ground: { index, base: chain.base, schedule, fork }, entry }
}

function distances(settings: NodeSettings, habits: Habits) {
  const { safeDistance, finalizedDistance, slotsInAnEpoch } = settings
  const isGiven = slotsInAnEpoch !== undefined || safeDistance > 0 || finalizedDistance > 0
  const epoch = isGiven ? slotsInAnEpoch : habits.slotsInAnEpoch
  return epoch === undefined
    ? { safe: BigInt(safeDistance), finalized: BigInt(finalizedDistance) }
    : { safe: BigInt(epoch), finalized: BigInt(2 * epoch) }
}
