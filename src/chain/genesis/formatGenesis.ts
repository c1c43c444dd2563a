import { bytesToBigint, bytesToHex, bytesToPlainHex, hexPieces, quantity } from '../../encoding/hex.js'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { GAS_PER_BLOB } from '../block/header.js'
import {
  type ForkActivation,
  type ForkSchedule,
  type ForkStart,
  type Hardfork,
  createForkSchedule,
  hardforks,
} from '../evm/forkSchedule.js'
import type { HeaderFields } from '../types.js'
import { type ChainDescription, OWN_CONFIG } from './gethGenesis.js'
import type { GenesisAccount } from './ownGenesis.js'

/** Names of fork activations in a geth genesis; chainstart and Paris have none. */
const names: Partial<Record<Hardfork, string>> = {
  homestead: 'homesteadBlock',
  dao: 'daoForkBlock',
  tangerineWhistle: 'eip150Block',
  spuriousDragon: 'eip158Block',
  byzantium: 'byzantiumBlock',
  constantinople: 'constantinopleBlock',
  petersburg: 'petersburgBlock',
  istanbul: 'istanbulBlock',
  muirGlacier: 'muirGlacierBlock',
  berlin: 'berlinBlock',
  london: 'londonBlock',
  arrowGlacier: 'arrowGlacierBlock',
  grayGlacier: 'grayGlacierBlock',
  mergeNetsplitBlock: 'mergeNetsplitBlock',
}

type Json = string | number | boolean | null | { [name: string]: Json }

/**
 * Formats the genesis file of a chain for geth (core/genesis.go). A chain made here adds what geth's format cannot
 * express. Parsing the file again gives the same chain.
 */
export function formatGethGenesis(description: ChainDescription): string {
  return [...gethGenesisPieces(description)].join('')
}

/** Incremental version of {@link formatGethGenesis}: each piece is at most an account or a slot. */
export function* gethGenesisPieces({ chainId, schedule, genesis }: ChainDescription): Generator<string> {
  const { header, accounts } = genesis
  const file: Json = { config: formatConfig(chainId, schedule), ...formatHeader(header), alloc: {} }
  const text = withExactNumbers(JSON.stringify(file, null, 2))
  const end = '}\n}'
  yield text.slice(0, -end.length)
  let separator = '\n'
  for (const account of accounts) {
    yield* accountPieces(account, separator)
    separator = ',\n'
  }
  yield accounts.length === 0 ? `${end}\n` : `\n  ${end}\n`
}

/** Writes marked numbers bare and exact, whatever their size, as geth requires. */
function withExactNumbers(json: string): string {
  return json.replaceAll(/"#(\d+)"/g, '$1')
}

function bare(number: bigint): string {
  return `#${number}`
}

function formatConfig(chainId: bigint, own: ForkSchedule): Json {
  const [first] = own.activations
  const schedule = own.proofOfWork || first === undefined ? own : fromGenesisOn(first.hardfork, chainId)
  const config: { [name: string]: Json } = { chainId: bare(chainId) }
  const blobSchedule: { [name: string]: Json } = {}
  for (const activation of schedule.activations) {
    Object.assign(config, formatStart(activation))
    // Rules take a millisecond to create, so only those that may have blobs are created.
    if (!('timestamp' in activation.from)) continue
    const rules = schedule.rulesOf(activation)
    if (!rules.isActivatedEIP(4844)) continue
    const { targetBlobGasPerBlock, maxBlobGasPerBlock, blobGasPriceUpdateFraction } =
      rules.getBlobGasSchedule()
    blobSchedule[activation.hardfork] = {
      target: bare(targetBlobGasPerBlock / GAS_PER_BLOB),
      max: bare(maxBlobGasPerBlock / GAS_PER_BLOB),
      baseFeeUpdateFraction: bare(blobGasPriceUpdateFraction),
    }
  }
  if (Object.keys(blobSchedule).length > 0) config['blobSchedule'] = blobSchedule
  config['depositContractAddress'] = bytesToHex(own.depositContract)
  if (!own.proofOfWork && first !== undefined) {
    const { transactionGasLimitCap } = own
    config[OWN_CONFIG] = { hardfork: first.hardfork, transactionGasLimitCap }
  }
  return config
}

/** Builds the schedule with which mainnet rules would reach the fork at genesis: it includes all earlier forks. */
function fromGenesisOn(hardfork: Hardfork, chainId: bigint): ForkSchedule {
  const merge = hardforks.indexOf('paris')
  const [first, ...later] = hardforks.slice(0, hardforks.indexOf(hardfork) + 1)
  const activations = later
    .filter((name) => name !== 'dao' && name !== 'mergeNetsplitBlock')
    .map((name) => ({ hardfork: name, from: startAtGenesis(hardforks.indexOf(name) - merge) }))
  return createForkSchedule([{ hardfork: first ?? hardfork, from: { block: 0n } }, ...activations], {
    chainId,
  })
}

/**
 * @param sinceMerge - number of forks after Paris, negative before it
 */
function startAtGenesis(sinceMerge: number): ForkStart {
  if (sinceMerge < 0) return { block: 0n }
  return sinceMerge === 0 ? { totalDifficulty: 0n } : { timestamp: 0n }
}

function formatStart({ hardfork, from }: ForkActivation): { [name: string]: Json } {
  if ('totalDifficulty' in from) return { terminalTotalDifficulty: bare(from.totalDifficulty) }
  if ('timestamp' in from) return { [`${hardfork}Time`]: bare(from.timestamp) }
  const name = names[hardfork]
  if (name === undefined) return {}
  const block = bare(from.block)
  if (hardfork === 'spuriousDragon') return { eip155Block: block, [name]: block }
  return hardfork === 'dao' ? { [name]: block, daoForkSupport: true } : { [name]: block }
}

function formatHeader(header: HeaderFields): { [name: string]: Json } {
  const optional = (value: bigint | undefined): Json => (value === undefined ? null : quantity(value))
  return {
    nonce: quantity(bytesToBigint(header.nonce)),
    timestamp: quantity(header.timestamp),
    extraData: bytesToHex(header.extraData),
    gasLimit: quantity(header.gasLimit),
    difficulty: quantity(header.difficulty),
    mixHash: bytesToHex(header.mixHash),
    coinbase: bytesToHex(header.coinbase),
    number: quantity(header.number),
    gasUsed: quantity(header.gasUsed),
    parentHash: bytesToHex(header.parentHash),
    baseFeePerGas: optional(header.baseFeePerGas),
    excessBlobGas: optional(header.excessBlobGas),
    blobGasUsed: optional(header.blobGasUsed),
  }
}

/** Formats an account like JSON.stringify at its depth. */
function* accountPieces(
  { address, balance, nonce, code, storage }: GenesisAccount,
  separator: string,
): Generator<string> {
  yield `${separator}    "${bytesToPlainHex(address)}": {\n      "balance": "${quantity(balance)}"`
  if (nonce > 0n) yield `,\n      "nonce": "${quantity(nonce)}"`
  if (code.length > 0) {
    yield ',\n      "code": "'
    yield* hexPieces(code)
    yield '"'
  }
  if (storage.length > 0) {
    yield ',\n      "storage": {'
    let comma = ''
    for (const [slot, value] of storage) {
      yield `${comma}\n        "${bytesToHex(slot)}": "${bytesToHex(value)}"`
      comma = ','
    }
    yield '\n      }'
  }
  yield '\n    }'
}

/** Returns the key of a chain's genesis file. */
export function genesisKey(keys: Pick<Keyspace, 'setting'>): Uint8Array {
  return keys.setting('genesis')
}

/** Returns the text of a chain's genesis file; undefined if the chain has none yet. */
export function storedGenesis(
  database: Pick<Database, 'get'>,
  keys: Pick<Keyspace, 'setting'>,
): string | undefined {
  const bytes = database.get(genesisKey(keys))
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}
