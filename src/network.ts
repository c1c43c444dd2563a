import { checksumAddress } from './chain/accounts/address.js'
import type { StoredBlock } from './chain/block/record.js'
import { Snapshots } from './chain/controls/snapshots.js'
import { signatureBackend } from './chain/crypto.js'
import { BlobStore } from './chain/mempool/blobs.js'
import { PooledStore } from './chain/mempool/pooledStore.js'
import { TransactionSubmission } from './chain/mempool/submitTransaction.js'
import { type MiningMode, MiningSchedule } from './chain/mining/schedule.js'
import { bytesToHex } from './encoding/hex.js'
import type { ChainBases } from './network/chainBases.js'
import { type ChainBaseSet, type OpenedChain, openBases, openNetworkChain } from './network/chainOpening.js'
import type { GenesisFacts, Network, NetworkRequest } from './network/network.js'
import { type Origin, findOrigin } from './network/origin.js'
import { startReports } from './network/reporter.js'
import { resetChain } from './network/reset.js'
import { StateKeeper } from './network/stateKeeper.js'
import type { NodeSettings } from './options.js'
import { type RpcSettings, applyCompatibility, createBackend } from './rpc/backend.js'
import { type CompatibilityProfile, compatibilityProfile } from './rpc/compatibility.js'
import { controlMethodNames } from './rpc/methods/controls.js'
import { RpcPipeline } from './rpc/pipeline.js'
import { FilterStore, countedIds } from './rpc/subscriptions/filterStore.js'

/** Bytes of results and errors after which geth refuses the remaining calls of a batch (node/defaults.go). */
const MAX_BATCH_RESPONSE_BYTES = 25_000_000

/**
 * Opens a network: resumes its chain from its data or starts it from genesis, and sets up JSON-RPC for it.
 *
 * @throws DataDirectoryError if the data belongs to another chain
 * @throws ChainFileError if the genesis or a block in the files is invalid
 * @throws OptionError if the mnemonic is invalid
 */
export async function openNetwork(request: NetworkRequest): Promise<Network> {
  const compatibility = compatibilityProfile(request.settings.compat)
  const origin = await findOrigin(request, compatibility)
  let bases: ChainBases | undefined
  try {
    const home = await openNetworkChain(request, origin, compatibility)
    const opened = await openBases(request, origin, home)
    bases = opened.bases
    return await join(request, { origin, compatibility, home, ...opened })
  } catch (error) {
    origin.fork?.close()
    await bases?.close()
    throw error
  }
}

/** Parts that {@link join} makes into a network. */
interface NetworkParts extends ChainBaseSet {
  origin: Origin
  compatibility: CompatibilityProfile
  home: OpenedChain
}

async function join(request: NetworkRequest, parts: NetworkParts): Promise<Network> {
  const { name, settings, policy, interceptor, report, files, developer } = request
  const { origin, compatibility, home, bases, offered } = parts
  const { chain, schedules } = home
  const { automine, interval } = miningMode(settings)
  const mining = new MiningSchedule(
    chain,
    { automine, interval: 0 },
    {
      pendingTransactionsShareBlock: compatibility.automineIncludesPending,
      executableTransactionsShareBlock: compatibility.executableTransactionsShareBlock,
      report: (fault) => report('mining', fault),
    },
  )
  const blobs = new BlobStore(chain.stores)
  const store = new PooledStore(chain.stores)
  const submission = new TransactionSubmission({
    chain,
    schedule: mining,
    store,
    blobs,
    report: (fault) => report('mempool', fault),
  })
  const filters = new FilterStore(compatibility.countsFilters ? { nextId: countedIds() } : {})
  const snapshots = await Snapshots.open({
    chain,
    store,
    participants: [filters],
    first: compatibility.firstSnapshot,
  })
  applyCompatibility(chain.mempool, { chain, mining, compatibility })
  await submission.restore()
  chain.mempool.subscribe((transaction) => chain.events.emit({ type: 'pending', transaction }))
  chain.events.subscribe((event) => submission.follow(event))
  const logging = { enabled: true }
  const { accounts, limits } = origin
  const backend = createBackend({
    chain,
    submission,
    mining,
    snapshots,
    schedules,
    recoveries: limits.recoveries,
    blobs,
    remote: {
      reset: (order) => resetChain({ chain, bases, snapshots, submission, compatibility }, order),
      setRemote: (url) => bases.setUrl(url),
    },
    logging,
    accounts,
    autoImpersonate: settings.autoImpersonate,
    settings: rpcSettings(settings, compatibility),
    clientVersion: settings.clientVersion ?? compatibility.clientVersion,
  })
  const isStandard = files !== undefined
  const keeper = isStandard
    ? await StateKeeper.open(backend, settings, (fault) => report('--state-interval', fault))
    : undefined
  if (developer !== undefined) {
    const { tracing } = backend
    const fault = (thrown: unknown) => report('reports', thrown)
    await startReports({ developer, settings, chain, tracing, logging, fault })
  }
  // Last: a network that fails to open must not mine.
  mining.setInterval(interval)
  return {
    name,
    chainId: chain.view.chainId,
    pipeline: new RpcPipeline({
      methods: offered,
      backend,
      filters,
      policy,
      interceptor,
      report,
      batch: {
        maxItems: settings.maxBatch,
        maxResponseBytes: Math.min(settings.maxResponse, MAX_BATCH_RESPONSE_BYTES),
      },
    }),
    view: chain.view,
    controlMethods: controlMethodNames,
    accounts: accounts.map(({ address, privateKey }) => ({
      address: checksumAddress(address),
      privateKey: bytesToHex(privateKey),
    })),
    genesis: genesisFacts(chain.first),
    fork: bases.fork && { url: bases.fork.shownUrl, number: bases.fork.header.number },
    signatureBackend: signatureBackend(),
    events: chain.events,
    logging,
    reset: async () => backend.controls.reset(),
    impersonated: () => firstAddresses(backend.controls.impersonated()),
    beginStop: () => {
      mining.close()
      chain.beginStop()
    },
    close: async () => {
      mining.close()
      await bases.close()
      await chain.close()
      await keeper?.close()
    },
  }
}

function genesisFacts({ header }: StoredBlock): GenesisFacts {
  const { baseFeePerGas: baseFee, gasLimit, timestamp, number } = header
  return { baseFee, gasLimit, timestamp, number }
}

function miningMode({ blockTime, noMining, mixedMining }: NodeSettings): MiningMode {
  if (noMining) return { automine: false, interval: 0 }
  if (blockTime !== undefined && blockTime > 0) return { automine: mixedMining, interval: blockTime * 1000 }
  return { automine: true, interval: 0 }
}

/** Maximum number of addresses in the description of a network. */
const MAX_DESCRIBED = 1000

function firstAddresses(addresses: Iterable<Uint8Array>): string[] {
  const first: string[] = []
  for (const address of addresses) {
    if (first.length === MAX_DESCRIBED) break
    first.push(checksumAddress(address))
  }
  return first
}

/** Suggested tip of anvil and hardhat in wei per gas. */
const DEVNET_START_TIP = 1_000_000_000n
/** Geth's suggestion before it has seen a transaction (miner/miner.go, DefaultConfig). */
const GETH_START_TIP = 1_000_000n

/** Derives the settings of methods from a node's settings. */
function rpcSettings(settings: NodeSettings, compatibility: CompatibilityProfile): RpcSettings {
  return {
    maxLogs: settings.logsMaxResults,
    logTimeoutMilliseconds: settings.logsTimeoutMs,
    maxLogParameters: settings.logsMaxParameters,
    maxLogRange: settings.logsMaxRange,
    logsRange: settings.logsRange ?? compatibility.logsRange,
    logsError: settings.logsError,
    gasCapInBlocks: settings.gasCapBlocks,
    startTip: settings.genesis === undefined ? DEVNET_START_TIP : GETH_START_TIP,
    maxTraceBytes: settings.maxResponse,
    totalDifficulty: !settings.noTotalDifficulty,
    pendingFields: settings.pendingFields ?? compatibility.pendingFields,
    compatibility,
  }
}
