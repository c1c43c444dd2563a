import {
  type Client,
  type Hex,
  type HttpTransport,
  type LocalAccount,
  type PublicActions,
  type TestActions,
  type WalletActions,
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  hashMessage,
  http,
  parseAbi,
  parseEther,
  parseGwei,
  publicActions,
  walletActions,
  webSocket,
  zeroAddress,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { getBlockReceipts, getBytecode, getRawTransaction, getStorageValues } from 'viem/actions'
import { foundry } from 'viem/chains'

import { until } from '../support/until.js'
import { readArtifact } from '../support/artifacts.js'

const token = readArtifact('Token')
const store = readArtifact('Store')
const reverter = readArtifact('Reverter')

const mnemonic = 'test test test test test test test test test test test junk'
const owner = mnemonicToAccount(mnemonic)
const other = mnemonicToAccount(mnemonic, { addressIndex: 1 })
/** An unlocked account of the node. */
const held = other.address
const recipient: Hex = '0x00000000000000000000000000000000000c0ffe'
const contractAccount: Hex = '0x00000000000000000000000000000000000bead1'
const unknownHash: Hex = `0x${'ef'.repeat(32)}`
/** Seconds; far ahead of every clock, so that both nodes have the same times. */
const firstTime = 4_102_444_800n

const erc20 = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address holder) view returns (uint256)',
  'function name() view returns (string)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
])

const typedData = {
  domain: { name: 'Mail', version: '1', chainId: 31337 },
  types: {
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  message: { to: recipient, text: 'hello' },
} as const

/** A client with all of viem's actions. */
export type ActionClient = Client<HttpTransport, typeof foundry, LocalAccount> &
  TestActions &
  PublicActions<HttpTransport, typeof foundry, LocalAccount> &
  WalletActions<typeof foundry, LocalAccount>

export function connectActions(url: string, results: SceneResults): ActionClient {
  return createTestClient({
    mode: 'anvil',
    account: owner,
    chain: foundry,
    transport: http(url, { retryCount: 0, onFetchResponse: () => void results.answers++ }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
}

/** Results of earlier scenes for later ones. */
export interface SceneResults {
  /** Number of requests answered over HTTP. */
  answers: number
  token: Hex
  store: Hex
  reverter: Hex
  /** Transaction hash of a token transfer. */
  transfer: Hex
  snapshot: Hex
  state: Hex
}

/** One use of a viem action on the chain built by earlier scenes. */
export interface Scene {
  action: string
  run(client: ActionClient, results: SceneResults): unknown
}

async function mined(client: ActionClient, hash: Hex) {
  return client.waitForTransactionReceipt({ hash })
}

/**
 * Returns the first report of a watching action about a change.
 *
 * @param isReady - whether it has started watching
 */
async function watched<Report>(
  watch: (report: (report: Report) => void) => () => void,
  isReady: () => boolean | Promise<boolean>,
  change: () => Promise<unknown>,
): Promise<Report> {
  const reports: Report[] = []
  const stop = watch((report) => reports.push(report))
  await until(isReady)
  const before = reports.length
  await change()
  await until(() => reports.length > before)
  stop()
  return reports[before] as Report
}

/** Whether two more requests have been answered: the creation and first poll of a filter. */
function afterTwoAnswers(results: SceneResults): () => boolean {
  const { answers } = results
  return () => results.answers >= answers + 2
}

/** Actions without a scene, with the reason. */
export const leftOut: Readonly<Record<string, string>> = {
  getEnsAddress: "calls the contracts of ENS, which live on Ethereum's networks",
  getEnsAvatar: 'the same',
  getEnsName: 'the same',
  getEnsResolver: 'the same',
  getEnsText: 'the same',
  getFilterChanges: 'among the scenes of the filters',
  reset: 'anvil refuses it without a URL to fork from; here it begins anew',
  simulate: 'another name for simulateBlocks',
}

/** In execution order. */
export const scenes: readonly Scene[] = [
  { action: 'getChainId', run: (client) => client.getChainId() },
  { action: 'getBlockNumber', run: (client) => client.getBlockNumber() },
  { action: 'getAddresses', run: (client) => client.getAddresses() },
  { action: 'requestAddresses', run: (client) => client.requestAddresses() },
  { action: 'getAutomine', run: (client) => client.getAutomine() },
  {
    action: 'setNextBlockTimestamp',
    run: (client) => client.setNextBlockTimestamp({ timestamp: firstTime }),
  },
  { action: 'setBlockTimestampInterval', run: (client) => client.setBlockTimestampInterval({ interval: 1 }) },
  { action: 'mine', run: (client) => client.mine({ blocks: 1 }) },
  { action: 'getBlock', run: (client) => client.getBlock() },
  {
    action: 'deployContract',
    async run(client, results) {
      for (const [name, { abi, bytecode }, args] of [
        ['token', token, ['Token', 'TKN', parseEther('1000')]],
        ['store', store, []],
        ['reverter', reverter, []],
      ] as const) {
        const { contractAddress } = await mined(client, await client.deployContract({ abi, bytecode, args }))
        results[name] = contractAddress as Hex
      }
      return [results.token, results.store, results.reverter]
    },
  },
  {
    action: 'writeContract',
    async run(client, results) {
      results.transfer = await client.writeContract({
        address: results.token,
        abi: erc20,
        functionName: 'transfer',
        args: [recipient, 5n],
      })
      return results.transfer
    },
  },
  { action: 'waitForTransactionReceipt', run: (client, { transfer }) => mined(client, transfer) },
  {
    action: 'writeContract',
    run: (client, { token: address }) =>
      client.writeContract({ address, abi: erc20, functionName: 'transfer', args: [recipient, 10n ** 30n] }),
  },
  {
    action: 'writeContractSync',
    run: (client, { store: address }) =>
      client.writeContractSync({ address, abi: store.abi, functionName: 'setNumber', args: [7n] }),
  },
  {
    action: 'writeContractSync',
    run: (client, { store: address }) =>
      client.writeContractSync({
        address,
        abi: store.abi,
        functionName: 'createChild',
        args: [1n],
        value: 3n,
      }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ to: recipient, value: parseEther('1') }),
  },
  {
    action: 'sendTransaction',
    run: (client) =>
      client.sendTransaction({ to: recipient, value: 1n, type: 'legacy', gasPrice: parseGwei('3') }),
  },
  {
    action: 'sendTransaction',
    run: (client, { store: address }) =>
      client.sendTransaction({
        to: address,
        data: encodeFunctionData({ abi: store.abi, functionName: 'increment' }),
        type: 'eip2930',
        gasPrice: parseGwei('3'),
        accessList: [{ address, storageKeys: [`0x${'00'.repeat(32)}`] }],
      }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ account: held, to: recipient, value: 2n }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ to: recipient, value: parseEther('100000') }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ to: recipient, value: 1n, nonce: 0 }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ to: recipient, value: 1n, gas: 20_000n }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ to: recipient, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
  },
  {
    action: 'sendTransaction',
    run: (client, { reverter: to }) =>
      client.sendTransaction({
        to,
        data: encodeFunctionData({ abi: reverter.abi, functionName: 'revertWithPlainError' }),
        gas: 100_000n,
      }),
  },
  {
    action: 'sendTransactionSync',
    run: (client) => client.sendTransactionSync({ to: recipient, value: 9n }),
  },
  {
    action: 'prepareTransactionRequest',
    run: (client) => client.prepareTransactionRequest({ to: recipient, value: 1n }),
  },
  {
    action: 'signTransaction',
    run: async (client) =>
      client.signTransaction(await client.prepareTransactionRequest({ to: recipient, value: 1n })),
  },
  {
    action: 'signTransaction',
    run: (client) =>
      client.signTransaction({
        account: held,
        to: recipient,
        value: 1n,
        nonce: 99,
        gas: 21_000n,
        maxFeePerGas: parseGwei('2'),
        maxPriorityFeePerGas: 1n,
      } as never),
  },
  {
    action: 'sendRawTransaction',
    run: async (client) => {
      const request = await client.prepareTransactionRequest({ to: recipient, value: 1n })
      return client.sendRawTransaction({ serializedTransaction: await client.signTransaction(request) })
    },
  },
  {
    action: 'sendRawTransaction',
    run: (client) => client.sendRawTransaction({ serializedTransaction: '0x02c0' }),
  },
  {
    action: 'sendRawTransactionSync',
    run: async (client) => {
      const request = await client.prepareTransactionRequest({ to: recipient, value: 1n })
      return client.sendRawTransactionSync({ serializedTransaction: await client.signTransaction(request) })
    },
  },
  { action: 'fillTransaction', run: (client) => client.fillTransaction({ to: recipient, value: 1n }) },
  {
    action: 'prepareAuthorization',
    run: (client, { store: contractAddress }) =>
      client.prepareAuthorization({ contractAddress, executor: 'self' }),
  },
  {
    action: 'signAuthorization',
    async run(client, { store: contractAddress }) {
      const authorization = await client.signAuthorization({ account: other, contractAddress })
      const hash = await client.sendTransaction({ to: other.address, authorizationList: [authorization] })
      return [authorization, hash, await mined(client, hash)]
    },
  },
  { action: 'getDelegation', run: (client) => client.getDelegation({ address: other.address }) },
  { action: 'getDelegation', run: (client) => client.getDelegation({ address: owner.address }) },
  { action: 'getCode', run: (client) => client.getCode({ address: other.address }) },
  { action: 'getCode', run: (client) => client.getCode({ address: recipient }) },
  { action: 'getBytecode', run: (client, { token: address }) => getBytecode(client, { address }) },
  { action: 'getBalance', run: (client) => client.getBalance({ address: recipient }) },
  { action: 'getBalance', run: (client) => client.getBalance({ address: recipient, blockNumber: 0n }) },
  { action: 'getBalance', run: (client) => client.getBalance({ address: recipient, blockTag: 'pending' }) },
  { action: 'getBalance', run: (client) => client.getBalance({ address: recipient, blockNumber: 10_000n }) },
  { action: 'getTransactionCount', run: (client) => client.getTransactionCount({ address: owner.address }) },
  {
    action: 'getTransactionCount',
    run: (client) => client.getTransactionCount({ address: owner.address, blockTag: 'pending' }),
  },
  {
    action: 'getStorageAt',
    run: (client, { store: address }) => client.getStorageAt({ address, slot: '0x0' }),
  },
  {
    action: 'getStorageValues',
    run: (client, { store: address }) =>
      getStorageValues(client, { requests: { [address]: [`0x${'00'.repeat(32)}`] } }),
  },
  {
    action: 'getProof',
    run: (client, { store: address }) => client.getProof({ address, storageKeys: [`0x${'00'.repeat(32)}`] }),
  },
  { action: 'getBlock', run: (client) => client.getBlock({ blockNumber: 4n, includeTransactions: true }) },
  { action: 'getBlock', run: (client) => client.getBlock({ blockTag: 'pending' }) },
  { action: 'getBlock', run: (client) => client.getBlock({ blockNumber: 9999n }) },
  { action: 'getBlock', run: (client) => client.getBlock({ blockHash: unknownHash }) },
  {
    action: 'getBlockReceipts',
    run: (client) => getBlockReceipts(client, { blockNumber: 5n }),
  },
  {
    action: 'getBlockTransactionCount',
    run: (client) => client.getBlockTransactionCount({ blockNumber: 5n }),
  },
  {
    action: 'getBlockTransactionCount',
    run: (client) => client.getBlockTransactionCount({ blockTag: 'pending' }),
  },
  { action: 'getTransaction', run: (client, { transfer }) => client.getTransaction({ hash: transfer }) },
  { action: 'getTransaction', run: (client) => client.getTransaction({ blockNumber: 5n, index: 0 }) },
  { action: 'getTransaction', run: (client) => client.getTransaction({ hash: unknownHash }) },
  { action: 'getTransaction', run: (client) => client.getTransaction({ blockTag: 'latest', index: 77 }) },
  {
    action: 'getRawTransaction',
    run: (client, { transfer }) => getRawTransaction(client, { hash: transfer }),
  },
  {
    action: 'getTransactionReceipt',
    run: (client, { transfer }) => client.getTransactionReceipt({ hash: transfer }),
  },
  { action: 'getTransactionReceipt', run: (client) => client.getTransactionReceipt({ hash: unknownHash }) },
  {
    action: 'getTransactionConfirmations',
    run: (client, { transfer }) => client.getTransactionConfirmations({ hash: transfer }),
  },
  { action: 'getGasPrice', run: (client) => client.getGasPrice() },
  { action: 'getBlobBaseFee', run: (client) => client.getBlobBaseFee() },
  { action: 'estimateMaxPriorityFeePerGas', run: (client) => client.estimateMaxPriorityFeePerGas() },
  { action: 'estimateFeesPerGas', run: (client) => client.estimateFeesPerGas() },
  { action: 'estimateFeesPerGas', run: (client) => client.estimateFeesPerGas({ type: 'legacy' }) },
  {
    action: 'getFeeHistory',
    run: (client) => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [25, 75] }),
  },
  {
    action: 'getFeeHistory',
    run: (client) => client.getFeeHistory({ blockCount: 2, rewardPercentiles: [], blockNumber: 3n }),
  },
  { action: 'estimateGas', run: (client) => client.estimateGas({ to: recipient, value: 1n }) },
  {
    action: 'estimateGas',
    run: (client) => client.estimateGas({ to: recipient, value: parseEther('100000') }),
  },
  {
    action: 'estimateGas',
    run: (client, { token: to }) =>
      client.estimateGas({
        to,
        data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [recipient, 10n ** 30n] }),
      }),
  },
  {
    action: 'estimateGas',
    run: (client, { token: to }) =>
      client.estimateGas({
        account: zeroAddress,
        to,
        data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [recipient, 1n] }),
        stateOverride: [{ address: zeroAddress, balance: parseEther('1') }],
      }),
  },
  {
    action: 'estimateContractGas',
    run: (client, { token: address }) =>
      client.estimateContractGas({ address, abi: erc20, functionName: 'transfer', args: [recipient, 1n] }),
  },
  {
    action: 'createAccessList',
    run: (client, { token: to }) =>
      client.createAccessList({
        to,
        data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [recipient, 1n] }),
      }),
  },
  {
    action: 'call',
    run: (client, { token: to }) =>
      client.call({ to, data: encodeFunctionData({ abi: erc20, functionName: 'name' }) }),
  },
  {
    action: 'call',
    run: (client, { reverter: to }) =>
      client.call({
        to,
        data: encodeFunctionData({ abi: reverter.abi, functionName: 'revertWithoutReason' }),
      }),
  },
  { action: 'call', run: (client) => client.call({ to: recipient, value: parseEther('100000') }) },
  { action: 'call', run: (client) => client.call({ to: recipient, maxFeePerGas: 1n }) },
  {
    action: 'call',
    run: (client) =>
      client.call({
        code: store.deployedBytecode,
        data: encodeFunctionData({ abi: store.abi, functionName: 'number' }),
      }),
  },
  {
    action: 'call',
    run: (client, { store: to }) =>
      client.call({
        to,
        data: encodeFunctionData({ abi: store.abi, functionName: 'number' }),
        stateOverride: [
          { address: to, stateDiff: [{ slot: `0x${'00'.repeat(32)}`, value: `0x${'00'.repeat(31)}2a` }] },
        ],
      }),
  },
  {
    action: 'call',
    run: (client) =>
      client.call({
        to: contractAccount,
        // Returns the block's number and time.
        stateOverride: [{ address: contractAccount, code: '0x436000524260205260406000f3' }],
        blockOverrides: { number: 77n, time: firstTime + 99n },
      }),
  },
  {
    action: 'readContract',
    run: (client, { token: address }) =>
      client.readContract({ address, abi: erc20, functionName: 'balanceOf', args: [recipient] }),
  },
  {
    action: 'readContract',
    run: (client) =>
      client.readContract({ address: recipient, abi: erc20, functionName: 'balanceOf', args: [recipient] }),
  },
  ...(
    [
      ['revertWithReason', ['because']],
      ['revertWithoutReason', []],
      ['revertWithCustomError', [recipient, 1n, 2n]],
      ['revertWithPlainError', []],
      ['revertWithData', ['0x12345678']],
      ['panicAssert', [false]],
      ['panicOverflow', [2n ** 256n - 1n, 1n]],
      ['panicDivision', [1n, 0n]],
      ['panicEnum', [9n]],
      ['panicIndex', [3n]],
      ['panicMemory', [2n ** 70n]],
      ['invalidOpcode', []],
      ['outOfGas', []],
      ['revertBelow', ['below']],
    ] as const
  ).map(([functionName, args]): Scene => ({
    action: 'simulateContract',
    run: (client, { reverter: address }) =>
      client.simulateContract({
        address,
        abi: reverter.abi,
        functionName,
        args: args,
        gas: 1_000_000n,
      }),
  })),
  {
    action: 'simulateContract',
    run: (client, { token: address }) =>
      client.simulateContract({ address, abi: erc20, functionName: 'transfer', args: [recipient, 1n] }),
  },
  {
    action: 'multicall',
    run: (client, { token: address }) =>
      client.multicall({
        deployless: true,
        contracts: [
          { address, abi: erc20, functionName: 'name' },
          { address, abi: erc20, functionName: 'balanceOf', args: [owner.address] },
          { address: recipient, abi: erc20, functionName: 'name' },
        ],
      }),
  },
  { action: 'getEip712Domain', run: (client, { token: address }) => client.getEip712Domain({ address }) },
  // Only the calls of simulated blocks: anvil's have no parent.
  {
    action: 'simulateCalls',
    async run(client, { token: to }) {
      const calls = [
        { to, data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [recipient, 1n] }) },
        { to: recipient, value: 1n },
      ]
      return (await client.simulateCalls({ calls })).results
    },
  },
  {
    action: 'simulateBlocks',
    async run(client, { token: to }) {
      const blocks = await client.simulateBlocks({
        blocks: [
          {
            calls: [
              {
                to,
                data: encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [recipient, 1n] }),
              },
            ],
          },
          {
            blockOverrides: { number: 100_000n },
            calls: [{ to: recipient, value: 1n }],
            stateOverrides: [{ address: zeroAddress, balance: 5n }],
          },
        ],
      })
      return blocks.map(({ calls }) => calls)
    },
  },
  {
    action: 'getLogs',
    run: (client, { token: address }) => client.getLogs({ address, fromBlock: 0n, event: erc20[0] }),
  },
  {
    action: 'getLogs',
    run: (client) =>
      client.getLogs({ fromBlock: 0n, event: erc20[0], args: { to: recipient }, strict: true }),
  },
  { action: 'getLogs', run: (client) => client.getLogs({ blockHash: unknownHash }) },
  { action: 'getLogs', run: (client) => client.getLogs({ fromBlock: 10n, toBlock: 2n }) },
  {
    action: 'getContractEvents',
    run: (client, { token: address }) =>
      client.getContractEvents({ address, abi: erc20, fromBlock: 'earliest' }),
  },
  {
    action: 'createBlockFilter',
    async run(client) {
      const filter = await client.createBlockFilter()
      await client.mine({ blocks: 3 })
      return [
        (await client.getFilterChanges({ filter })).length,
        (await client.getFilterChanges({ filter })).length,
        await client.uninstallFilter({ filter }),
        await client.uninstallFilter({ filter }),
      ]
    },
  },
  {
    action: 'createEventFilter',
    async run(client, { token: address }) {
      const filter = await client.createEventFilter({ address, event: erc20[0], fromBlock: 0n })
      await client.writeContractSync({ address, abi: erc20, functionName: 'transfer', args: [recipient, 6n] })
      return [
        await client.getFilterChanges({ filter }),
        await client.getFilterLogs({ filter }),
        await client.getFilterChanges({ filter }),
      ]
    },
  },
  {
    action: 'createContractEventFilter',
    async run(client, { token: address }) {
      const filter = await client.createContractEventFilter({
        address,
        abi: erc20,
        eventName: 'Transfer',
        args: { to: recipient },
      })
      await client.writeContractSync({ address, abi: erc20, functionName: 'transfer', args: [recipient, 6n] })
      return client.getFilterChanges({ filter })
    },
  },
  {
    action: 'createPendingTransactionFilter',
    async run(client) {
      const filter = await client.createPendingTransactionFilter()
      const hash = await client.sendTransaction({ to: recipient, value: 4n })
      const changes = await client.getFilterChanges({ filter })
      return [hash, changes, await client.getFilterChanges({ filter })]
    },
  },
  {
    action: 'uninstallFilter',
    async run(client) {
      const filter = await client.createBlockFilter()
      await client.uninstallFilter({ filter })
      return client.getFilterChanges({ filter })
    },
  },
  {
    action: 'getFilterLogs',
    async run(client) {
      const filter = await client.createBlockFilter()
      return client.getFilterLogs({ filter: filter as never })
    },
  },
  { action: 'signMessage', run: (client) => client.signMessage({ account: held, message: 'hello' }) },
  { action: 'signMessage', run: (client) => client.signMessage({ account: recipient, message: 'hello' }) },
  { action: 'signTypedData', run: (client) => client.signTypedData({ account: held, ...typedData }) },
  {
    action: 'verifyMessage',
    run: async (client) =>
      client.verifyMessage({
        address: owner.address,
        message: 'hello',
        signature: await owner.signMessage({ message: 'hello' }),
      }),
  },
  {
    action: 'verifyMessage',
    run: async (client, { store: address }) =>
      client.verifyMessage({
        address,
        message: 'hello',
        signature: await owner.signMessage({ message: 'hello' }),
      }),
  },
  {
    action: 'verifyHash',
    run: async (client) =>
      client.verifyHash({
        address: recipient,
        hash: hashMessage('hello'),
        signature: await owner.signMessage({ message: 'hello' }),
      }),
  },
  {
    action: 'verifyTypedData',
    run: async (client) =>
      client.verifyTypedData({
        address: owner.address,
        ...typedData,
        signature: await owner.signTypedData(typedData),
      }),
  },
  {
    action: 'watchBlockNumber',
    run: (client, results) =>
      watched<bigint>(
        (report) => client.watchBlockNumber({ onBlockNumber: report }),
        afterTwoAnswers(results),
        () => client.mine({ blocks: 1 }),
      ),
  },
  {
    action: 'watchBlocks',
    run: (client, results) =>
      watched(
        (report) => client.watchBlocks({ onBlock: report }),
        afterTwoAnswers(results),
        () => client.mine({ blocks: 1 }),
      ),
  },
  {
    action: 'watchBlockHeaders',
    async run(client) {
      const url = new URL(client.transport.url ?? '')
      const subscriber = createPublicClient({
        transport: webSocket(`ws://${url.host}`, { reconnect: false }),
      })
      await subscriber.getChainId()
      const header = await watched<object>(
        (report) => subscriber.watchBlockHeaders({ onBlockHeader: report }),
        // Answered in request order, and so after the subscription.
        async () => (await subscriber.getChainId()) > 0,
        () => client.mine({ blocks: 1 }),
      )
      const socket = await subscriber.transport.getRpcClient()
      socket.close()
      // As in geth, members of later forks are null.
      return Object.fromEntries(Object.entries(header).filter(([, member]) => member !== null))
    },
  },
  {
    action: 'watchEvent',
    run: (client, results) =>
      watched(
        (report) => client.watchEvent({ address: results.token, event: erc20[0], onLogs: report }),
        afterTwoAnswers(results),
        () =>
          client.writeContract({
            address: results.token,
            abi: erc20,
            functionName: 'transfer',
            args: [recipient, 8n],
          }),
      ),
  },
  {
    action: 'watchContractEvent',
    run: (client, results) =>
      watched(
        (report) => client.watchContractEvent({ address: results.token, abi: erc20, onLogs: report }),
        afterTwoAnswers(results),
        () =>
          client.writeContract({
            address: results.token,
            abi: erc20,
            functionName: 'transfer',
            args: [recipient, 8n],
          }),
      ),
  },
  {
    action: 'watchPendingTransactions',
    run: (client, results) =>
      watched(
        (report) => client.watchPendingTransactions({ onTransactions: report }),
        afterTwoAnswers(results),
        () => client.sendTransaction({ to: recipient, value: 3n }),
      ),
  },
  {
    action: 'snapshot',
    async run(client, results) {
      results.snapshot = await client.snapshot()
      return results.snapshot
    },
  },
  { action: 'setBalance', run: (client) => client.setBalance({ address: recipient, value: 17n }) },
  { action: 'setNonce', run: (client) => client.setNonce({ address: recipient, nonce: 17 }) },
  { action: 'setNonce', run: (client) => client.setNonce({ address: owner.address, nonce: 0 }) },
  {
    action: 'setCode',
    run: (client) => client.setCode({ address: contractAccount, bytecode: '0x602a60005260206000f3' }),
  },
  {
    action: 'setStorageAt',
    run: (client) =>
      client.setStorageAt({ address: contractAccount, index: 3, value: `0x${'00'.repeat(31)}07` }),
  },
  { action: 'getStorageAt', run: (client) => client.getStorageAt({ address: contractAccount, slot: '0x3' }) },
  { action: 'call', run: (client) => client.call({ to: contractAccount }) },
  { action: 'getTransactionCount', run: (client) => client.getTransactionCount({ address: recipient }) },
  { action: 'getBalance', run: (client) => client.getBalance({ address: recipient }) },
  {
    action: 'revert',
    async run(client, { snapshot }) {
      await client.revert({ id: snapshot })
      return [
        await client.getBalance({ address: recipient }),
        await client.getCode({ address: contractAccount }),
        await client.getTransactionCount({ address: owner.address }),
      ]
    },
  },
  { action: 'revert', run: (client) => client.revert({ id: '0x99' }) },
  { action: 'impersonateAccount', run: (client) => client.impersonateAccount({ address: recipient }) },
  {
    action: 'sendTransaction',
    async run(client) {
      const hash = await client.sendTransaction({ account: recipient, to: zeroAddress, value: 1n })
      const { from, status, gasUsed } = await mined(client, hash)
      return { from, status, gasUsed }
    },
  },
  {
    action: 'stopImpersonatingAccount',
    run: (client) => client.stopImpersonatingAccount({ address: recipient }),
  },
  {
    action: 'sendTransaction',
    run: (client) => client.sendTransaction({ account: recipient, to: zeroAddress, value: 1n }),
  },
  {
    action: 'sendUnsignedTransaction',
    async run(client) {
      const hash = await client.sendUnsignedTransaction({
        from: recipient,
        to: zeroAddress,
        value: 1n,
      })
      const { from, status, gasUsed } = await mined(client, hash)
      return { from, status, gasUsed }
    },
  },
  { action: 'setAutomine', run: (client) => client.setAutomine(false) },
  { action: 'getAutomine', run: (client) => client.getAutomine() },
  {
    action: 'getTxpoolContent',
    async run(client) {
      const nonce = await client.getTransactionCount({ address: owner.address })
      const fees = {
        maxFeePerGas: parseGwei('5'),
        maxPriorityFeePerGas: parseGwei('1'),
        gas: 21_000n,
        to: recipient,
      } as const
      for (const more of [0, 1, 5]) await client.sendTransaction({ ...fees, nonce: nonce + more, value: 1n })
      return client.getTxpoolContent()
    },
  },
  { action: 'getTxpoolStatus', run: (client) => client.getTxpoolStatus() },
  { action: 'inspectTxpool', run: (client) => client.inspectTxpool() },
  {
    action: 'sendTransaction',
    async run(client) {
      // Replaces a pending one, at too low and at sufficient fees.
      const nonce = await client.getTransactionCount({ address: owner.address })
      const replacement = { to: recipient, nonce, gas: 21_000n, value: 2n } as const
      const refused = await client
        .sendTransaction({
          ...replacement,
          maxFeePerGas: parseGwei('5'),
          maxPriorityFeePerGas: parseGwei('1'),
        })
        .catch((error: unknown) => error)
      return [
        refused,
        await client.sendTransaction({
          ...replacement,
          maxFeePerGas: parseGwei('9'),
          maxPriorityFeePerGas: parseGwei('2'),
        }),
      ]
    },
  },
  {
    action: 'dropTransaction',
    async run(client) {
      const nonce = await client.getTransactionCount({ address: owner.address })
      const hash = await client.sendTransaction({
        to: recipient,
        value: 2n,
        nonce: nonce + 2,
        gas: 21_000n,
        maxFeePerGas: parseGwei('5'),
        maxPriorityFeePerGas: 1n,
      })
      await client.dropTransaction({ hash })
      return client.getTxpoolStatus()
    },
  },
  { action: 'dropTransaction', run: (client) => client.dropTransaction({ hash: unknownHash }) },
  {
    action: 'getBlock',
    run: (client) => client.getBlock({ blockTag: 'pending', includeTransactions: true }),
  },
  { action: 'mine', run: (client) => client.mine({ blocks: 2 }) },
  { action: 'getBlock', run: (client) => client.getBlock() },
  { action: 'getTxpoolStatus', run: (client) => client.getTxpoolStatus() },
  { action: 'setAutomine', run: (client) => client.setAutomine(true) },
  {
    action: 'increaseTime',
    async run(client) {
      // The total offset from the clock depends on the time of the request.
      const before = await client.increaseTime({ seconds: 420 })
      const after = await client.increaseTime({ seconds: 4200 })
      return Math.round((Number(after) - Number(before)) / 100)
    },
  },
  {
    action: 'setNextBlockTimestamp',
    run: (client) => client.setNextBlockTimestamp({ timestamp: firstTime }),
  },
  {
    action: 'setNextBlockTimestamp',
    run: (client) => client.setNextBlockTimestamp({ timestamp: firstTime + 100_000n }),
  },
  {
    action: 'setNextBlockBaseFeePerGas',
    run: (client) => client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('20') }),
  },
  { action: 'setBlockGasLimit', run: (client) => client.setBlockGasLimit({ gasLimit: 420_000n }) },
  { action: 'setCoinbase', run: (client) => client.setCoinbase({ address: recipient }) },
  {
    action: 'mine',
    async run(client) {
      await client.mine({ blocks: 1 })
      const { baseFeePerGas, gasLimit, miner, timestamp } = await client.getBlock()
      return { baseFeePerGas, gasLimit, miner, timestamp }
    },
  },
  { action: 'removeBlockTimestampInterval', run: (client) => client.removeBlockTimestampInterval() },
  { action: 'setMinGasPrice', run: (client) => client.setMinGasPrice({ gasPrice: 5n }) },
  { action: 'setLoggingEnabled', run: (client) => client.setLoggingEnabled(true) },
  {
    action: 'setIntervalMining',
    async run(client) {
      await client.setIntervalMining({ interval: 1 })
      const start = await client.getBlockNumber()
      const deadline = Date.now() + 20_000
      while ((await client.getBlockNumber()) === start && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 50))
      await client.setIntervalMining({ interval: 0 })
      return (await client.getBlockNumber()) > start
    },
  },
  { action: 'setAutomine', run: (client) => client.setAutomine(true) },
  {
    action: 'dumpState',
    async run(client, results) {
      results.state = await client.dumpState()
      return results.state.slice(0, 6)
    },
  },
  {
    action: 'loadState',
    async run(client, { state }) {
      await client.setBalance({ address: recipient, value: 1n })
      return [await client.loadState({ state }), (await client.getBalance({ address: recipient })) > 1n]
    },
  },
  { action: 'setRpcUrl', run: (client) => client.setRpcUrl('http://127.0.0.1:1') },
  { action: 'getPermissions', run: (client) => client.getPermissions() },
  { action: 'requestPermissions', run: (client) => client.requestPermissions({ eth_accounts: {} }) },
  { action: 'switchChain', run: (client) => client.switchChain({ id: 1 }) },
  { action: 'addChain', run: (client) => client.addChain({ chain: foundry }) },
  {
    action: 'watchAsset',
    run: (client) =>
      client.watchAsset({ type: 'ERC20', options: { address: recipient, decimals: 18, symbol: 'TKN' } }),
  },
  { action: 'getCapabilities', run: (client) => client.getCapabilities() },
  { action: 'sendCalls', run: (client) => client.sendCalls({ calls: [{ to: recipient, value: 1n }] }) },
  { action: 'getCallsStatus', run: (client) => client.getCallsStatus({ id: '0x01' }) },
  { action: 'showCallsStatus', run: (client) => client.showCallsStatus({ id: '0x01' }) },
  {
    action: 'sendCallsSync',
    run: (client) => client.sendCallsSync({ calls: [{ to: recipient, value: 1n }] }),
  },
  {
    action: 'waitForCallsStatus',
    run: (client) => client.waitForCallsStatus({ id: '0x01', retryCount: 0, timeout: 1000 }),
  },
]
