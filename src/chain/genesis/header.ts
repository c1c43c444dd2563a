import { bigintToBytes } from '../../encoding/quantity.js'
import { EMPTY_TRIE_ROOT } from '../block/orderedRoot.js'
import { hashRequests } from '../execution/systemCalls.js'
import { EMPTY_UNCLES_HASH } from '../mining/draft.js'
import type { ForkSchedule } from '../execution/forkSchedule.js'
import { hardforks, type Hardfork } from '../execution/hardforks.js'
import type { HeaderFields } from '../types.js'
import type { Fields } from './fields.js'

/** EIP-1559: wei per gas. */
const INITIAL_BASE_FEE = 1_000_000_000n

/**
 * The header of the genesis block, without its state root (geth: core/genesis.go, toBlockWithRoot).
 *
 * @throws GenesisError
 */
export function readHeader(file: Fields, { activations }: Pick<ForkSchedule, 'activations'>): HeaderFields {
  const number = file.optionalNumber('number') ?? 0n
  const timestamp = file.optionalNumber('timestamp') ?? 0n
  const header: HeaderFields = {
    parentHash: file.bytes('parentHash', 32) ?? new Uint8Array(32),
    uncleHash: EMPTY_UNCLES_HASH,
    coinbase: file.bytes('coinbase', 20) ?? new Uint8Array(20),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: file.number('difficulty', 256),
    number,
    gasLimit: file.number('gasLimit'),
    gasUsed: file.optionalNumber('gasUsed') ?? 0n,
    timestamp,
    extraData: file.bytes('extraData') ?? new Uint8Array(0),
    mixHash: file.bytes('mixHash', 32) ?? new Uint8Array(32),
    nonce: bigintToBytes(file.optionalNumber('nonce') ?? 0n, 8),
  }
  // Whether the merge has come does not matter here: by block and time alone a fork gives the genesis its fields.
  const inForce = activations.filter(({ from }) => {
    if ('totalDifficulty' in from) return false
    return 'block' in from ? from.block <= number : from.timestamp <= timestamp
  })
  const has = (hardfork: Hardfork): boolean =>
    inForce.some((activation) => hardforks.indexOf(activation.hardfork) >= hardforks.indexOf(hardfork))
  if (has('london')) header.baseFeePerGas = file.optionalNumber('baseFeePerGas', 256) ?? INITIAL_BASE_FEE
  if (has('shanghai')) header.withdrawalsRoot = EMPTY_TRIE_ROOT
  if (has('cancun')) {
    header.blobGasUsed = file.optionalNumber('blobGasUsed') ?? 0n
    header.excessBlobGas = file.optionalNumber('excessBlobGas') ?? 0n
    header.parentBeaconBlockRoot = new Uint8Array(32)
  }
  if (has('prague')) header.requestsHash = hashRequests([])
  return header
}
