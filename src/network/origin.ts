import type { KeyedAccount } from '../chain/accounts/keyring.js'
import { InvalidMnemonicError, deriveAccounts } from '../chain/accounts/mnemonic.js'
import type { ScheduleChanges } from '../chain/evm/forkSchedule.js'
import { SignatureRecoveries } from '../chain/evm/signatureRecoveries.js'
import { Clock, LogicalClock } from '../chain/mining/schedule.js'
import { type NodeSettings, OptionError } from '../options.js'
import { chainOptions } from '../options/chainOptions.js'
import { standardNetwork } from '../provider/networks.js'
import type { CompatibilityProfile } from '../rpc/compatibility.js'
import { type ChainSource, chainOfFile, etherToWei, ownChain } from './chainSource.js'
import { ForkCaches } from './fork/stateCache.js'
import { type Fork, openFork } from './fork/openFork.js'
import type { NetworkRequest } from './network.js'

/** Bytes; larger than any transaction's code. */
const UNLIMITED_CODE_SIZE = 2n ** 32n

/** What a network's chain starts from. */
export interface Origin {
  /** Definition of the chain that the network was started on. */
  source: ChainSource
  /** The remote chain that it continues, if any. */
  fork: Fork | undefined
  /** State caches of the network's forks. */
  caches: ForkCaches
  clock: Clock
  accounts: readonly KeyedAccount[]
  /** Accounts that a fork funds: 20-byte addresses, and the balance in wei. */
  funds: { funded: readonly Uint8Array[]; balance: bigint }
  /** Changes of the rules that the settings apply to every chain. */
  limits: ScheduleChanges & { recoveries: SignatureRecoveries }
  /** Defines the node's own chain on a block of a remote one. */
  chainOn(fork: Fork): ChainSource
}

/**
 * Finds what a network's chain starts from: a genesis file, a block of a remote chain, or its own genesis.
 *
 * @throws ChainFileError if the genesis file cannot be used; ForkError if the remote cannot
 * @throws OptionError if the mnemonic is invalid
 */
export async function findOrigin(
  request: NetworkRequest,
  compatibility: CompatibilityProfile,
): Promise<Origin> {
  const { name, settings, data, files } = request
  const accounts = await fundedAccounts(settings, compatibility)
  const storedBlock = data.manifest.networks[name]?.forkBlock
  const stored = storedBlock === undefined ? undefined : BigInt(storedBlock)
  const reads = request.remoteReads
  const caches = new ForkCaches(reads?.isActive ? { ...settings, noForkCache: true } : settings, request.warn)
  const fork = name === standardNetwork ? await openFork(settings, { stored, caches, reads }) : undefined
  const clock = createClock(settings, compatibility, fork?.header.timestamp)
  const funded = accounts.map(({ address }) => address)
  const chainOn = (base: Fork | undefined) =>
    ownChain({ chainId: forkedId(request.chainId, base), settings, now: () => clock.now(), funded })
  return {
    source: files?.genesis === undefined ? chainOn(fork) : await chainOfFile(files.genesis),
    fork,
    caches,
    clock,
    accounts,
    funds: { funded, balance: etherToWei(settings.balance) },
    limits: ownLimits(settings),
    chainOn,
  }
}

function ownLimits({ codeSizeLimit, disableCodeSizeLimit }: NodeSettings): Origin['limits'] {
  return {
    codeSizeLimit: disableCodeSizeLimit ? UNLIMITED_CODE_SIZE : codeSizeLimit,
    recoveries: new SignatureRecoveries(),
  }
}

/** Returns the chain id: a fork has its remote's unless another one is set. */
function forkedId(chainId: bigint, fork: Fork | undefined): bigint {
  return fork !== undefined && chainId === chainOptions.chainId.default ? fork.chainId : chainId
}

/**
 * Derives the accounts whose keys the node holds, which are funded at genesis.
 *
 * @throws OptionError if the mnemonic is invalid
 */
async function fundedAccounts(
  { mnemonic, derivationPath: path, accounts }: NodeSettings,
  compatibility: CompatibilityProfile,
): Promise<KeyedAccount[]> {
  try {
    return await deriveAccounts({ mnemonic, path, count: accounts ?? compatibility.accounts })
  } catch (error) {
    throw error instanceof InvalidMnemonicError ? new OptionError(`--mnemonic: ${error.message}`) : error
  }
}

/** Time of a deterministic chain's first block in seconds: 1 January 2024. */
const DETERMINISTIC_GENESIS_TIME = 1_704_067_200n

/**
 * Creates the clock of a chain.
 *
 * @param forkTime - seconds; the time of the fork block, from which a fork's clock continues
 */
function createClock(
  settings: NodeSettings,
  compatibility: CompatibilityProfile,
  forkTime: bigint | undefined,
): Clock {
  const options = {
    minimumStep: settings.allowSameTimestamp ? 0n : compatibility.minimumTimestampIncrement,
    followsHead: compatibility.clockFollowsHead,
  }
  const begin = settings.timestamp ?? forkTime
  if (settings.deterministic) {
    const start = begin ?? DETERMINISTIC_GENESIS_TIME
    return new LogicalClock({ ...options, now: () => start })
  }
  return Clock.startingAt(begin, options)
}
