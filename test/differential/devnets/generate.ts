import { type Hex, numberToHex } from 'viem'
import type { DocumentedMethod, Generator as DocumentedGenerator } from '../geth/generate.js'
import type { Random } from '../support/random.js'
import { documentedRequests } from './documented.js'
import type { Mode } from './peer.js'
import { contracts } from './programs.js'
import { signedTransaction, signer } from './signed.js'

/** A request to both nodes. `$filter` and the like stand for ids and hashes that each node has returned. */
export interface Step {
  method: string
  params: readonly unknown[]
  /** Whether the request may change the node's state. */
  changesState: boolean
  /** Body to send instead of a request to the method; it need not be valid JSON-RPC. */
  body?: string
}

/** Makes a value for a parameter. */
type Argument = (random: Random) => unknown

const gwei = 1_000_000_000
const ether = 10n ** 18n
const accounts: readonly Hex[] = [
  signer.address.toLowerCase() as Hex,
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
]
const stranger: Hex = `0x${'51'.repeat(20)}`
const hash: Hex = `0x${'ab'.repeat(32)}`
const blobHash: Hex = `0x01${'ab'.repeat(31)}`

const malformedValues: readonly unknown[] = [null, '', 'x', true, {}, [], -1, 1.5, '0xzz', '0x1234']
/** Makes the argument malformed now and then. */
const mostly =
  (argument: Argument): Argument =>
  (random) =>
    random.chance(0.12) ? random.pick(malformedValues) : argument(random)
const oneOf =
  (...values: readonly unknown[]): Argument =>
  (random) =>
    random.pick(values)

const anyAddress = mostly(oneOf(...accounts, stranger, ...contracts))
const control = mostly(oneOf('0x0', '0x1', '0x2', '0x10', 1, 3, '0x', '0x01', '5'))
const large = mostly(
  oneOf('0x0', '0x1', numberToHex(ether), numberToHex(2n ** 256n - 1n), numberToHex(2n ** 256n), 1000, '7'),
)
// hardhat crashes at times near 2^64.
const time = mostly(oneOf('0x0', '0x1', '0x3e8', 1000, 5_000_000_000, '0x1ffffffff'))
const blockTag = mostly(
  oneOf(
    'latest',
    'latest',
    'pending',
    'earliest',
    'safe',
    'finalized',
    '0x0',
    '0x1',
    '0x2',
    '0xffff',
    'later',
    {
      blockNumber: '0x0',
    },
    { blockHash: hash },
    { blockHash: '$block' },
  ),
)
const flag = mostly(oneOf(true, false))
const word = mostly(oneOf(hash, `0x${'00'.repeat(31)}01`))
const slot = mostly(oneOf('0x0', '0x1', `0x${'00'.repeat(32)}`))
const code = mostly(oneOf('0x', '0x00', '0x5f5ffd', '0xfe', '0x1'))
const transactionHash = mostly(oneOf('$transaction', '$transaction', hash))
const filterId = mostly(oneOf('$filter', '$filter', '0xdead'))
const percentiles = mostly(oneOf([], [50], [0, 25, 100], [50, 10], [101], null))

/** Makes the fields of a call, or of a transaction that the node signs. */
function message(random: Random, fields: { nonce: boolean }): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  const put = (probability: number, name: string, argument: Argument): void => {
    if (random.chance(probability)) made[name] = argument(random)
  }
  put(0.9, 'from', oneOf(...accounts, accounts[0], stranger, contracts[0]))
  put(0.9, 'to', oneOf(...accounts, stranger, ...contracts, ...contracts))
  put(
    0.3,
    'gas',
    oneOf(
      '0x5208',
      '0x5207',
      '0x186a0',
      '0x186a0',
      '0x1c9c380',
      '0x1c9c381',
      '0x1000000',
      '0x1000001',
      '0x0',
    ),
  )
  const price = oneOf(numberToHex(2 * gwei), numberToHex(3 * gwei), '0x0', '0x1', numberToHex(10n ** 18n))
  const style = random.below(8)
  if (style === 0) put(1, 'gasPrice', price)
  if (style === 1 || style === 2) put(1, 'maxFeePerGas', price)
  if (style === 1 || style === 3) put(1, 'maxPriorityFeePerGas', price)
  if (style === 4) put(0.4, 'gasPrice', price)
  if (style === 4) put(0.3, 'maxPriorityFeePerGas', price)
  put(0.4, 'value', oneOf('0x0', '0x1', '0x1', numberToHex(ether), numberToHex(20_000n * ether)))
  put(0.3, 'data', oneOf('0x', '0x12345678', '0x00ff', '0x600a600c600039600a6000f3602a60005260206000f3'))
  put(0.05, 'input', oneOf('0x', '0x12345678'))
  put(
    0.1,
    'accessList',
    oneOf([], [{ address: stranger, storageKeys: [] }], [{ address: stranger, storageKeys: [hash] }]),
  )
  put(0.06, 'chainId', oneOf('0x7a69', '0x1'))
  put(0.05, 'type', oneOf('0x0', '0x1', '0x2', '0x3', '0x4', '0x100', 'x', 1))
  put(0.03, 'blobVersionedHashes', oneOf([], [blobHash]))
  put(0.02, 'blobHashes', oneOf([blobHash]))
  put(0.03, 'authorizationList', oneOf([]))
  if (fields.nonce) put(0.2, 'nonce', oneOf('0x0', '0x1', '0x2', '0x5'))
  put(0.05, random.pick(['to', 'value', 'gas', 'data', 'gasPrice', 'from']), oneOf(...malformedValues))
  return made
}

const filled: Argument = (random) => message(random, { nonce: true })
const called: Argument = (random) => message(random, { nonce: false })

/** A method with the generators of its arguments, and its relative frequency. */
interface Kind {
  method: string
  weight: number
  changesState?: boolean
  parameters: readonly Argument[]
}

const reads: readonly Kind[] = [
  { method: 'eth_accounts', weight: 1, parameters: [] },
  { method: 'eth_blockNumber', weight: 1, parameters: [] },
  { method: 'eth_chainId', weight: 1, parameters: [] },
  { method: 'eth_coinbase', weight: 1, parameters: [] },
  { method: 'eth_gasPrice', weight: 2, parameters: [] },
  { method: 'eth_maxPriorityFeePerGas', weight: 1, parameters: [] },
  { method: 'eth_mining', weight: 1, parameters: [] },
  { method: 'eth_syncing', weight: 1, parameters: [] },
  { method: 'net_version', weight: 1, parameters: [] },
  { method: 'net_listening', weight: 1, parameters: [] },
  { method: 'web3_sha3', weight: 1, parameters: [code] },
  { method: 'eth_getBalance', weight: 4, parameters: [anyAddress, blockTag] },
  { method: 'eth_getCode', weight: 3, parameters: [anyAddress, blockTag] },
  { method: 'eth_getTransactionCount', weight: 4, parameters: [anyAddress, blockTag] },
  { method: 'eth_getStorageAt', weight: 3, parameters: [anyAddress, slot, blockTag] },
  { method: 'eth_getBlockByNumber', weight: 6, parameters: [blockTag, flag] },
  { method: 'eth_getBlockByHash', weight: 3, parameters: [mostly(oneOf('$block', hash)), flag] },
  { method: 'eth_getBlockTransactionCountByNumber', weight: 2, parameters: [blockTag] },
  { method: 'eth_getBlockTransactionCountByHash', weight: 2, parameters: [mostly(oneOf('$block', hash))] },
  { method: 'eth_getTransactionByBlockNumberAndIndex', weight: 2, parameters: [blockTag, control] },
  { method: 'eth_getTransactionByHash', weight: 4, parameters: [transactionHash] },
  { method: 'eth_getTransactionReceipt', weight: 4, parameters: [transactionHash] },
  { method: 'eth_pendingTransactions', weight: 1, parameters: [] },
  { method: 'eth_feeHistory', weight: 3, parameters: [control, blockTag, percentiles] },
  { method: 'eth_sign', weight: 1, parameters: [anyAddress, code] },
  { method: 'personal_sign', weight: 1, parameters: [code, anyAddress] },
  { method: 'eth_signTypedData_v4', weight: 1, parameters: [anyAddress, oneOf('x', {}, '{}')] },
  { method: 'eth_unknown', weight: 1, parameters: [] },
  {
    method: 'debug_traceTransaction',
    weight: 1,
    parameters: [transactionHash, oneOf({}, { disableStack: true })],
  },
]

const filters: readonly Kind[] = [
  { method: 'eth_newFilter', weight: 2, parameters: [logQuery] },
  { method: 'eth_newBlockFilter', weight: 2, parameters: [] },
  { method: 'eth_newPendingTransactionFilter', weight: 2, parameters: [] },
  { method: 'eth_getFilterChanges', weight: 4, parameters: [filterId] },
  { method: 'eth_getFilterLogs', weight: 2, parameters: [filterId] },
  { method: 'eth_uninstallFilter', weight: 2, parameters: [filterId] },
  { method: 'eth_getLogs', weight: 5, parameters: [logQuery] },
  { method: 'eth_subscribe', weight: 1, parameters: [oneOf('newHeads', 'other', null)] },
  { method: 'eth_unsubscribe', weight: 1, parameters: [oneOf('0x1', null)] },
]

function logQuery(random: Random): unknown {
  if (random.chance(0.05)) return random.pick(malformedValues)
  const query: Record<string, unknown> = {}
  if (random.chance(0.5)) query['fromBlock'] = blockTag(random)
  if (random.chance(0.4)) query['toBlock'] = blockTag(random)
  if (random.chance(0.2)) query['blockHash'] = random.pick(['$block', hash])
  if (random.chance(0.4))
    query['address'] = random.pick<unknown>([contracts[9], [contracts[9], stranger], [], anyAddress(random)])
  if (random.chance(0.3))
    query['topics'] = random.pick<unknown>([[], [null], [hash], [[hash, null]], [[]], 'x', [5]])
  return query
}

/** Bodies that are requests, or almost. `null` is missing because hardhat crashes on it. */
const bodies: readonly string[] = [
  '',
  '[]',
  '{}',
  '5',
  'x',
  '[1]',
  '[{}]',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"1.0","id":1,"method":"eth_chainId","params":[]}',
  ...['1', '"a"', 'null', 'true', '{}'].map(
    (id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_chainId","params":[]}`,
  ),
  ...['[1]', '{}', '"x"', 'null'].map(
    (params) => `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":${params}}`,
  ),
  '{"jsonrpc":"2.0","method":"eth_chainId","params":[]}',
  '[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":2,"method":"eth_unknown"}]',
]

/** Options of a reset, most of them invalid. */
const resetOptions = oneOf(
  null,
  5,
  {},
  { forking: null },
  { forking: {} },
  { forking: { blockNumber: 1 } },
  { forking: { jsonRpcUrl: 5 } },
  { forking: { jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: '0x1' } },
)

/** Setters that both nodes have, each under its own prefix. */
const setters: readonly Kind[] = [
  { method: 'setBalance', weight: 3, parameters: [anyAddress, large] },
  { method: 'setNonce', weight: 3, parameters: [anyAddress, control] },
  { method: 'setCode', weight: 2, parameters: [anyAddress, code] },
  { method: 'setStorageAt', weight: 2, parameters: [anyAddress, slot, word] },
  { method: 'setCoinbase', weight: 1, parameters: [anyAddress] },
  { method: 'setNextBlockBaseFeePerGas', weight: 2, parameters: [control] },
  { method: 'setMinGasPrice', weight: 1, parameters: [control] },
  { method: 'impersonateAccount', weight: 3, parameters: [anyAddress] },
  { method: 'stopImpersonatingAccount', weight: 2, parameters: [anyAddress] },
  { method: 'mine', weight: 4, parameters: [control, control] },
  { method: 'dropTransaction', weight: 2, parameters: [transactionHash] },
  { method: 'setLoggingEnabled', weight: 1, parameters: [flag] },
].map((kind) => ({ ...kind, changesState: true }))

const times: readonly Kind[] = [
  { method: 'evm_mine', weight: 5, parameters: [time] },
  { method: 'evm_increaseTime', weight: 3, parameters: [time] },
  { method: 'evm_setNextBlockTimestamp', weight: 3, parameters: [time] },
  { method: 'evm_setAutomine', weight: 3, parameters: [flag] },
  {
    method: 'evm_setIntervalMining',
    weight: 1,
    parameters: [mostly(oneOf(0, 100_000, [100_000, 200_000], [5, 1]))],
  },
  {
    method: 'evm_setBlockGasLimit',
    weight: 2,
    parameters: [mostly(oneOf('0x0', '0x5208', '0x1c9c380', 100_000))],
  },
  { method: 'evm_snapshot', weight: 3, parameters: [] },
  {
    method: 'evm_revert',
    weight: 3,
    parameters: [mostly(oneOf('$snapshot', '$snapshot', '0x0', '0x1', '0x63', '1'))],
  },
].map((kind) => ({ ...kind, changesState: true }))

const own: Readonly<Record<Mode, readonly Kind[]>> = {
  hardhat: [
    { method: 'hardhat_getAutomine', weight: 1, parameters: [] },
    { method: 'hardhat_metadata', weight: 1, parameters: [] },
    { method: 'hardhat_setPrevRandao', weight: 2, parameters: [word], changesState: true },
    { method: 'hardhat_reset', weight: 1, parameters: [resetOptions], changesState: true },
  ],
  anvil: [
    { method: 'anvil_getAutomine', weight: 1, parameters: [] },
    { method: 'anvil_getIntervalMining', weight: 1, parameters: [] },
    { method: 'anvil_nodeInfo', weight: 1, parameters: [] },
    { method: 'anvil_metadata', weight: 1, parameters: [] },
    { method: 'anvil_autoImpersonateAccount', weight: 2, parameters: [flag], changesState: true },
    {
      method: 'anvil_setBlockTimestampInterval',
      weight: 2,
      parameters: [mostly(oneOf(1, 10))],
      changesState: true,
    },
    { method: 'anvil_removeBlockTimestampInterval', weight: 2, parameters: [], changesState: true },
    { method: 'anvil_addBalance', weight: 1, parameters: [anyAddress, large], changesState: true },
    { method: 'anvil_dropAllTransactions', weight: 1, parameters: [], changesState: true },
    { method: 'anvil_removePoolTransactions', weight: 1, parameters: [anyAddress], changesState: true },
    { method: 'anvil_rollback', weight: 1, parameters: [control], changesState: true },
    { method: 'anvil_setChainId', weight: 1, parameters: [oneOf(31337)], changesState: true },
    { method: 'eth_fillTransaction', weight: 4, parameters: [filled] },
    { method: 'eth_signTransaction', weight: 3, parameters: [filled] },
    { method: 'eth_createAccessList', weight: 3, parameters: [called, blockTag] },
    { method: 'eth_sendUnsignedTransaction', weight: 4, parameters: [filled], changesState: true },
    { method: 'txpool_status', weight: 1, parameters: [] },
    { method: 'txpool_content', weight: 1, parameters: [] },
    { method: 'txpool_inspect', weight: 1, parameters: [] },
    { method: 'evm_mine_detailed', weight: 1, parameters: [], changesState: true },
  ],
}

/** Subjects of episodes: requests that match are more frequent. */
const themes: readonly RegExp[] = [
  /./,
  /^(eth_send|evm_(mine|setAutomine)|txpool_|\w+_(dropTransaction|mine|removePoolTransactions|setNonce)|eth_(pendingTransactions|getTransaction))/,
  /^(evm_(snapshot|revert|mine)|\w+_(rollback|reorg|mine|reset)|eth_send|eth_getBlock)/,
  /^(evm_(increaseTime|mine|set\w*Time\w*)|\w+_(mine\w*|\w*Time\w*)|eth_getBlock)/,
  /(Filter|Logs|FilterChanges|^eth_sendTransaction|^evm_mine)/,
  /^(debug|trace|ots|eth_send|eth_get\w*Receipt)/,
]
/** Probability that a request off the episode's theme is kept: reads show the effects of changes. */
const OFF_TOPIC = 0.4

/** Makes random controls, transactions and reads. */
export class Generator {
  readonly #random: Random
  readonly #kinds: readonly Kind[]
  readonly #documented: DocumentedGenerator
  #theme: RegExp = /./

  /** @param methods - methods that both nodes have */
  constructor(random: Random, mode: Mode, methods: readonly DocumentedMethod[]) {
    this.#random = random
    const prefixed = setters.map((kind) => ({ ...kind, method: `${mode}_${kind.method}` }))
    this.#kinds = [...reads, ...filters, ...prefixed, ...times, ...own[mode]].flatMap((kind) =>
      Array.from({ length: kind.weight }, () => kind),
    )
    this.#documented = documentedRequests(random, methods, { accounts, contracts })
  }

  /** Picks the theme of the next episode. */
  beginEpisode(): void {
    this.#theme = this.#random.pick(themes)
  }

  async next(): Promise<Step> {
    for (;;) {
      const step = await this.#any()
      if (this.#theme.test(step.method) || this.#random.chance(OFF_TOPIC)) return step
    }
  }

  async #any(): Promise<Step> {
    const random = this.#random
    if (random.chance(0.02)) {
      const body = random.chance(0.5) ? random.pick(bodies) : this.#documented.unusualBody()
      return { method: 'a body', params: [], changesState: true, body }
    }
    if (random.chance(0.5)) {
      const { method, params } = this.#documented.call()
      return { method, params, changesState: changing.test(method) }
    }
    const kind = random.below(10)
    if (kind < 3) {
      const params = [message(random, { nonce: true })]
      return { method: 'eth_sendTransaction', params, changesState: true }
    }
    if (kind === 3) {
      const raw = await signedTransaction(random, [stranger, ...contracts])
      return { method: 'eth_sendRawTransaction', params: [raw], changesState: true }
    }
    if (kind < 6) {
      const method = random.pick(['eth_call', 'eth_call', 'eth_estimateGas'])
      const block = random.chance(0.6) ? [blockTag(random)] : []
      return { method, params: [message(random, { nonce: false }), ...block], changesState: false }
    }
    const { method, parameters, changesState = false } = random.pick(this.#kinds)
    const given = random.chance(0.08) ? random.below(parameters.length + 1) : parameters.length
    const params = parameters.slice(0, given).map((argument) => argument(random))
    if (random.chance(0.02)) params.push('0x1')
    while (params.length > 0 && params.at(-1) === undefined) params.pop()
    return { method, params, changesState }
  }
}

/** Methods that change a node's state. */
const changing = /^(eth_send|evm_|anvil_(?!get|node|meta)|hardhat_(?!get|meta)|tenderly_)/
