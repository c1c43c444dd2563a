import type { KeyedAccount } from '../chain/accounts/keyring.js'
import type { ScheduleChanges } from '../chain/execution/forkSchedule.js'
import { SignatureRecoveries } from '../chain/execution/signatureRecoveries.js'
import type { Clock } from '../chain/mining/clock.js'
import type { NodeSettings } from '../options.js'
import { chainOptions } from '../options/chainOptions.js'
import { standardNetwork } from '../provider/networks.js'
import type { Habits } from '../rpc/habits.js'
import { fundedAccounts } from './accounts.js'
import { chainOfFile, etherToWei, ownChain, type ChainSource } from './chainSource.js'
import { createClock } from './clock.js'
import { ForkCaches } from './fork/forkCaches.js'
import { openFork, type Fork } from './fork/openFork.js'
import type { NetworkRequest } from './network.js'

/** Bytes; more than any transaction carries. */
const UNLIMITED_CODE_SIZE = 2n ** 32n

/** What the chain of a network begins from. */
export interface Origin {
  /** Where the chain comes from that the network was started on. */
  source: ChainSource
  /** The remote chain that it goes on from, if it does. */
  fork: Fork | undefined
  /** Of what it and other forks of the network fetch. */
  caches: ForkCaches
  clock: Clock
  accounts: readonly KeyedAccount[]
  /** What a fork funds: addresses of 20 bytes, and wei. */
  funds: { funded: readonly Uint8Array[]; balance: bigint }
  /** What the node's settings change in the rules of every chain. */
  limits: ScheduleChanges & { recoveries: SignatureRecoveries }
  /** A chain of the node's own on a block of a remote one. */
  chainOn(fork: Fork): ChainSource
}

/**
 * Finds what a network's chain begins from: a genesis file, a block of a remote chain, or a genesis of its own.
 *
 * @throws ChainFileError if the genesis file cannot be used; ForkError if the remote cannot.
 * @throws OptionError if the mnemonic is none
 */
export async function findOrigin(request: NetworkRequest, habits: Habits): Promise<Origin> {
  const { name, settings, data, files } = request
  const accounts = await fundedAccounts(settings, habits)
  const storedBlock = data.manifest.networks[name]?.forkBlock
  const stored = storedBlock === undefined ? undefined : BigInt(storedBlock)
  const caches = new ForkCaches(settings, request.warn)
  const fork = name === standardNetwork ? await openFork(settings, { stored, caches }) : undefined
  const clock = createClock(settings, habits, fork?.header.timestamp)
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

/** A fork has the chain id of its remote unless another one is set. */
function forkedId(chainId: bigint, fork: Fork | undefined): bigint {
  return fork !== undefined && chainId === chainOptions.chainId.default ? fork.chainId : chainId
}
