import { hexToBytes } from '../../encoding/hex.js'

/** A contract deployed at a fixed address in the genesis. */
export interface Predeploy {
  /** 20 bytes. */
  address: Uint8Array
  code: Uint8Array
  nonce: bigint
}

function predeploy(address: string, code: readonly string[], nonce = 1n): Predeploy {
  return { address: hexToBytes(address), code: hexToBytes(code.join('')), nonce }
}

/** The system contracts, with the runtime code that their EIPs publish. */
export const systemContracts = {
  /** EIP-4788: parent beacon block roots, in a ring buffer of 8191. */
  beaconRoots: predeploy('000f3df6d732807ef1319fb7b8bb8522d0beac02', [
    '3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff',
    '810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff0155',
    '00',
  ]),
  /** EIP-2935: hashes of the last 8191 blocks. */
  historyStorage: predeploy('0000f90827f1c53a10cb7a02335b175320002935', [
    '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81',
    '430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
  ]),
  /** EIP-7002: withdrawal requests triggered by the execution layer. */
  withdrawalRequests: predeploy('00000961ef480eb55e80d19ad83579a64c007002', [
    '3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f8211156068578101908302848302900491',
    '6001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f45760',
    '0154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437',
    '604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260',
    '040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffff',
    'ff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c816006015381',
    '60281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c816001015353600101',
    '60e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffff',
    'ffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101',
    'e8565b01600290035b5f555f600155604c025ff35b5f5ffd',
  ]),
  /** EIP-7251: consolidation requests. */
  consolidationRequests: predeploy('0000bbddc7ce488642fb579f8b00f3a590007251', [
    '3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffff',
    'ffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f8211156068578101908302848302900491',
    '6001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a5760',
    '0154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b',
    '5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b818114610129',
    '5782810160040260040181607402815460601b8152601401816001015481526020018160020154815260200190600301',
    '54905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffff',
    'ffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b600154600182820111610188',
    '5750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd',
  ]),
}

/** The CREATE2 proxy that deployment tools expect on every chain (Arachnid's deterministic deployment proxy). */
export const create2Proxy: Predeploy = predeploy('4e59b44847b379578588920ca78fbf26c0b4956c', [
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f5',
  '8015156039578182fd5b8082525050506014600cf3',
])

/** EIP-4788, EIP-2935, EIP-7002, EIP-7251: the caller of system calls. */
export const SYSTEM_ADDRESS: Uint8Array = hexToBytes('fffffffffffffffffffffffffffffffffffffffe')

/** EIP-6110: the deposit contract of mainnet. */
export const DEPOSIT_CONTRACT_ADDRESS: Uint8Array = hexToBytes('00000000219ab540356cbb839cbe05303d7705fa')
