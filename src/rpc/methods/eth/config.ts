import { GAS_PER_BLOB } from '../../../chain/block/header.js'
import type { StoredBlock } from '../../../chain/block/record.js'
import type { ForkActivation, ForkSchedule } from '../../../chain/evm/forkSchedule.js'
import { forkHash } from '../../../chain/genesis/forks.js'
import { systemContracts } from '../../../chain/genesis/systemContracts.js'
import type { ForkRules } from '../../../chain/types.js'
import { bytesToHex, quantity } from '../../../encoding/hex.js'
import { defineMethod } from '../../method.js'
import type { JsonValue } from '../../wire.js'

/** Precompiles: EIP-7910 name, address as a number, and the fork that introduced it. */
const precompiles = [
  ['ECREC', 0x01, 'chainstart'],
  ['SHA256', 0x02, 'chainstart'],
  ['RIPEMD160', 0x03, 'chainstart'],
  ['ID', 0x04, 'chainstart'],
  ['MODEXP', 0x05, 'byzantium'],
  ['BN254_ADD', 0x06, 'byzantium'],
  ['BN254_MUL', 0x07, 'byzantium'],
  ['BN254_PAIRING', 0x08, 'byzantium'],
  ['BLAKE2F', 0x09, 'istanbul'],
  ['KZG_POINT_EVALUATION', 0x0a, 'cancun'],
  ['BLS12_G1ADD', 0x0b, 'prague'],
  ['BLS12_G1MSM', 0x0c, 'prague'],
  ['BLS12_G2ADD', 0x0d, 'prague'],
  ['BLS12_G2MSM', 0x0e, 'prague'],
  ['BLS12_PAIRING_CHECK', 0x0f, 'prague'],
  ['BLS12_MAP_FP_TO_G1', 0x10, 'prague'],
  ['BLS12_MAP_FP2_TO_G2', 0x11, 'prague'],
  ['P256VERIFY', 0x100, 'osaka'],
] as const

/** Describes a fork in the format of EIP-7910. */
function forkConfig(
  activation: ForkActivation,
  forks: ForkSchedule,
  genesis: Pick<StoredBlock, 'hash' | 'header'>,
): JsonValue {
  const rules = forks.rulesOf(activation)
  const time = 'timestamp' in activation.from ? activation.from.timestamp : 0n
  return {
    activationTime: time <= genesis.header.timestamp ? 0 : Number(time),
    blobSchedule: rules.isActivatedEIP(4844) ? formatBlobs(rules) : null,
    chainId: quantity(rules.chainId()),
    forkId: bytesToHex(forkHash(genesis, forks, time)),
    precompiles: Object.fromEntries(
      precompiles
        .filter(([, , hardfork]) => rules.gteHardfork(hardfork))
        .map(([name, address]) => [name, `0x${address.toString(16).padStart(40, '0')}`]),
    ),
    systemContracts: formatSystemContracts(rules, forks.depositContract),
  }
}

function formatBlobs(rules: ForkRules): JsonValue {
  const { targetBlobGasPerBlock, maxBlobGasPerBlock, blobGasPriceUpdateFraction } = rules.getBlobGasSchedule()
  return {
    target: Number(targetBlobGasPerBlock / GAS_PER_BLOB),
    max: Number(maxBlobGasPerBlock / GAS_PER_BLOB),
    baseFeeUpdateFraction: Number(blobGasPriceUpdateFraction),
  }
}

function formatSystemContracts(rules: ForkRules, depositContract: Uint8Array): JsonValue {
  const { beaconRoots, historyStorage, withdrawalRequests, consolidationRequests } = systemContracts
  return {
    ...(rules.isActivatedEIP(4788) && { BEACON_ROOTS_ADDRESS: bytesToHex(beaconRoots.address) }),
    ...(rules.isActivatedEIP(7251) && {
      CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: bytesToHex(consolidationRequests.address),
    }),
    ...(rules.isActivatedEIP(6110) && { DEPOSIT_CONTRACT_ADDRESS: bytesToHex(depositContract) }),
    ...(rules.isActivatedEIP(2935) && { HISTORY_STORAGE_ADDRESS: bytesToHex(historyStorage.address) }),
    ...(rules.isActivatedEIP(7002) && {
      WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: bytesToHex(withdrawalRequests.address),
    }),
  }
}

/** eth_config: returns the current, next and last scheduled fork (EIP-7910). */
export const config = defineMethod('eth_config', [], ({ view, backend: { forks } }) => {
  const genesis = view.resolve({ tag: 'earliest' })
  if (genesis === undefined) return null
  const { timestamp } = view.head().header
  const timed = timedForks(forks)
  const current = timed.findLastIndex(({ time }) => time <= timestamp)
  const at = (index: number) => {
    const fork = timed[index]
    return fork === undefined ? null : forkConfig(fork.activation, forks, genesis)
  }
  const next = at(current + 1)
  return { current: at(current), next, last: next === null ? null : at(timed.length - 1) }
})

/**
 * Returns the forks activated by timestamp, from Shanghai on, and of several at the same time the last; the node's own
 * chain has a single fork from time 0.
 */
function timedForks(forks: ForkSchedule): { activation: ForkActivation; time: bigint }[] {
  const all = forks.activations.flatMap((activation) => {
    const { from } = activation
    if ('timestamp' in from) return [{ activation, time: from.timestamp }]
    return forks.rulesOf(activation).gteHardfork('shanghai') ? [{ activation, time: 0n }] : []
  })
  return all.filter(({ time }, index) => all[index + 1]?.time !== time)
}
