import { deriveAccounts, InvalidMnemonicError } from './chain/accounts/mnemonic.js'
import { checksumAddress } from './chain/address.js'
import { signatureBackend } from './chain/crypto.js'
import { MovableSchedule } from './chain/execution/movableSchedule.js'
import type { ScheduleChanges } from './chain/execution/rules.js'
import { SignatureRecoveries } from './chain/execution/signatureRecoveries.js'
import { TransactionIntake } from './chain/intake.js'
import { BlobStore } from './chain/mempool/blobStore.js'
import { Mempool } from './chain/mempool/mempool.js'
import { PooledStore } from './chain/mempool/pooledStore.js'
import { Clock, LogicalClock } from './chain/mining/clock.js'
import { MiningSchedule, type MiningMode } from './chain/mining/schedule.js'
import { genesisHash, openBase, openChain } from './chain/open.js'
import { Snapshots } from './chain/snapshots.js'
import { bytesToHex } from './encoding/hex.js'
import { createBackend } from './network/backend.js'
import { ChainBases } from './network/chainBases.js'
import { chainOfFile, etherToWei, identityOf, ownChain } from './network/chainSource.js'
import { openFork, type Fork } from './network/fork/openFork.js'
import { importBlocks } from './network/importBlocks.js'
import type { Network, NetworkRequest } from './network/network.js'
import { standardNetwork } from './provider/networks.js'
import { chainOptions } from './options/chainOptions.js'
import { Reporter } from './network/reporter.js'
import type { ContractArtifact } from './report/artifacts.js'
import { StateKeeper } from './network/stateKeeper.js'
import { OptionError, type NodeSettings } from './options.js'
import { Dispatcher } from './rpc/dispatcher.js'
import { forkedMethods } from './rpc/fork/forkedMethods.js'
import { blockEncoder } from './rpc/format/blockEncoder.js'
import { controlMethodNames } from './rpc/methods/controls.js'
import type { Method } from './rpc/method.js'
import { habitsOf, type Habits } from './rpc/habits.js'
import { registry } from './rpc/registry.js'
import { FilterStore } from './rpc/subscriptions/filterStore.js'
import { admitNetwork } from './storage/manifest.js'

/** More gas than any block has. */
const UNLIMITED_GAS = 2n ** 64n - 1n
/** Bytes; more than any transaction carries. */
const UNLIMITED_CODE_SIZE = 2n ** 32n
/** The time of the first block of a deterministic chain, in seconds: 1 January 2024. */
const DETERMINISTIC_GENESIS_TIME = 1_704_067_200n

/**
 * Opens a network: its chain goes on where its data left it, or begins; JSON-RPC is ready for it.
 *
 * @throws DataDirectoryError if the data belongs to another chain.
 * @throws ChainFileError if the genesis or a block of the files does not check.
 * @throws OptionError if the mnemonic is none
 */
export async function openNetwork(request: NetworkRequest): Promise<Network> {
  const { name, settings, data, gate, methods, report, files } = request
  const { database, manifest } = data
  const known = manifest.networks[name]
  const habits = habitsOf(settings.compat)
  const accounts = await fundedAccounts(settings, habits)
  const stored = known?.forkBlock === undefined ? undefined : BigInt(known.forkBlock)
  const homeFork = name === standardNetwork ? await openFork(settings, stored) : undefined
  const clock = createClock(settings, habits, homeFork?.header.timestamp)
  const funded = accounts.map(({ address }) => address)
  const source =
    files?.genesis === undefined
      ? ownChain({ chainId: forkedId(request.chainId, homeFork), settings, now: () => clock.now(), funded })
      : await chainOfFile(files.genesis)
  const { chainId } = source
  const recoveries = new SignatureRecoveries()
  const limits = ownLimits(settings, recoveries)
  const homeSchedule = source.schedule.with(limits)
  const schedule = new MovableSchedule(homeSchedule)
  const identity = identityOf(source)
  if (known !== undefined) admitNetwork(manifest, name, { ...identity, genesisHash: known.genesisHash })
  const mempool = new Mempool(schedule, {
    order: settings.order,
    withoutFunds: settings.disablePoolBalanceChecks,
  })
  const network = known?.index ?? Object.keys(manifest.networks).length
  const place = { database, caches: data.caches, encoder: blockEncoder }
  const funds = { funded, balance: etherToWei(settings.balance) }
  const chain = await openChain({
    ...place,
    network,
    chainId,
    schedule,
    clock,
    mempool,
    coinbase: habits.coinbase,
    distances: distances(settings),
    maximumTransactions: settings.maxTransactions,
    ...(settings.disableBlockGasLimit && { maximumGas: UNLIMITED_GAS }),
    genesis: source.genesis,
    fork: homeFork && { ...homeFork, ...funds },
  })
  const hash = source.isGiven ? await genesisHash(chain.stores.states, source.genesis()) : chain.first.hash
  const admitted = admitNetwork(manifest, name, { ...identity, genesisHash: bytesToHex(hash) })
  if (homeFork !== undefined) admitted.forkBlock = homeFork.header.number.toString()
  if (known === undefined) data.saveManifest()
  if (files?.import !== undefined) await importBlocks({ chain, path: files.import, progress: files.progress })
  const allMethods = new Map([...registry, ...methods.map((method) => [method.name, method] as const)])
  const offered = new Map<string, Method>()
  const bases = new ChainBases({
    chain,
    home: { index: network, base: chain.base, schedule: homeSchedule, fork: homeFork },
    schedules: schedule,
    data,
    entry: admitted,
    settings,
    open: async (fork, index) => {
      const { schedule: forkSchedule, ...own } = ownChain({
        chainId: forkedId(request.chainId, fork),
        settings,
        now: () => clock.now(),
        funded,
      })
      const rules = forkSchedule.with(limits)
      const base = { ...place, ...own, network: index, schedule: rules, fork: { ...fork, ...funds } }
      return { schedule: rules, base: await openBase(base) }
    },
    entered: (fork) => {
      const entries = fork === undefined ? allMethods : forkedMethods(allMethods, fork.remote)
      for (const [method, definition] of entries) offered.set(method, definition)
    },
  })
  await bases.resume()
  const mining = new MiningSchedule(chain, miningMode(settings), {
    waitingShareBlock: habits.waitingShareBlock,
    report: (fault) => report('mining', fault),
  })
  const store = new PooledStore(chain.stores)
  const blobs = new BlobStore(chain.stores)
  const intake = new TransactionIntake({ chain, schedule: mining, store, blobs })
  const filters = new FilterStore()
  const snapshots = await Snapshots.open({ chain, companions: [filters] })
  await intake.restore()
  mempool.subscribe((transaction) => chain.events.emit({ type: 'pending', transaction }))
  chain.events.subscribe((event) => intake.follow(event))
  const logging = { enabled: true }
  const backend = createBackend({
    chain,
    bases,
    intake,
    mining,
    snapshots,
    schedules: schedule,
    recoveries,
    blobs,
    logging,
    accounts,
    settings,
  })
  const isStandard = files !== undefined
  const keeper = isStandard
    ? await StateKeeper.open(backend, settings, (fault) => report('--state-interval', fault))
    : undefined
  if (request.developer !== undefined) {
    new Reporter({
      ...request.developer,
      chain,
      tracing: backend.tracing,
      artifacts: await contractArtifacts(settings),
      trace: settings.trace,
      consoleLog: !settings.disableConsoleLog,
      logging,
      fault: (fault) => report('reports', fault),
    })
  }
  const { first } = chain
  const { fork } = bases
  const dispatcher = new Dispatcher({
    methods: offered,
    backend,
    filters,
    gate,
    report,
    batch: { maxItems: settings.maxBatch },
  })
  return {
    name,
    chainId: chain.view.chainId,
    dispatcher,
    view: chain.view,
    controlMethods: controlMethodNames,
    accounts: accounts.map(({ address, privateKey }) => ({
      address: checksumAddress(address),
      privateKey: bytesToHex(privateKey),
    })),
    genesis: {
      baseFee: first.header.baseFeePerGas,
      gasLimit: first.header.gasLimit,
      timestamp: first.header.timestamp,
      number: first.header.number,
    },
    fork: fork && { url: fork.shownUrl, number: fork.header.number },
    signatureBackend: signatureBackend(),
    events: chain.events,
    logging,
    reset: async () => backend.controls.reset(),
    close: async () => {
      mining.stop()
      bases.close()
      await chain.exclusively(() => undefined)
      await keeper?.close()
    },
  }
}

function ownLimits(
  { codeSizeLimit, disableCodeSizeLimit }: NodeSettings,
  recoveries: SignatureRecoveries,
): ScheduleChanges {
  return { codeSizeLimit: disableCodeSizeLimit ? UNLIMITED_CODE_SIZE : codeSizeLimit, recoveries }
}

async function contractArtifacts({ artifacts }: NodeSettings): Promise<ContractArtifact[]> {
  if (artifacts === undefined) return []
  const { readArtifacts } = await import('./report/artifacts.js')
  return readArtifacts(artifacts).catch((error: unknown) => {
    throw new OptionError(`--artifacts: ${error instanceof Error ? error.message : String(error)}`)
  })
}

async function fundedAccounts(settings: NodeSettings, habits: Habits) {
  const { mnemonic, derivationPath: path } = settings
  const count = settings.accounts ?? habits.accounts
  try {
    return await deriveAccounts({ mnemonic, path, count })
  } catch (error) {
    throw error instanceof InvalidMnemonicError ? new OptionError(`--mnemonic: ${error.message}`) : error
  }
}

/** A fork has the chain id of its remote unless another one is set. */
function forkedId(chainId: bigint, fork: Fork | undefined): bigint {
  return fork !== undefined && chainId === chainOptions.chainId.default ? fork.chainId : chainId
}

/** @param forkTime - the time of the block that a fork goes on from: its clock goes on from there too */
function distances({ safeDistance, finalizedDistance, slotsInAnEpoch: epoch }: NodeSettings) {
  return epoch === undefined
    ? { safe: BigInt(safeDistance), finalized: BigInt(finalizedDistance) }
    : { safe: BigInt(epoch), finalized: BigInt(2 * epoch) }
}

function createClock(settings: NodeSettings, habits: Habits, forkTime: bigint | undefined): Clock {
  const minimumStep = settings.allowSameTimestamp ? 0n : habits.leastTimeStep
  if (settings.deterministic) {
    const start = settings.timestamp ?? forkTime ?? DETERMINISTIC_GENESIS_TIME
    return new LogicalClock({ now: () => start, minimumStep })
  }
  const begin = settings.timestamp ?? forkTime
  const ahead = begin === undefined ? 0n : begin - wallClock()
  return new Clock({ now: () => wallClock() + ahead, minimumStep })
}

function wallClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}

function miningMode({ blockTime, noMining, mixedMining }: NodeSettings): MiningMode {
  if (noMining) return { automine: false, interval: 0 }
  if (blockTime !== undefined && blockTime > 0) return { automine: mixedMining, interval: blockTime * 1000 }
  return { automine: true, interval: 0 }
}
