import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNode, type StandinNode } from '../../src/index.js'
import { counterCode, ownRemote, type Remote } from './remotes.js'

let remote: Remote
let node: StandinNode

beforeAll(async () => {
  remote = await ownRemote()
  node = await createNode({ port: 0, forkUrl: remote.url })
})

afterAll(async () => {
  await node?.stop()
  await remote?.stop()
})

const slot = (at: StandinNode | Remote, index: number, block = 'latest') =>
  at.request('eth_getStorageAt', [remote.counter, `0x${index.toString(16)}`, block])

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

const callCounter = (on: StandinNode) =>
  on.request('eth_sendTransaction', [{ from: remote.accounts[0], to: remote.counter, gas: '0x100000' }])

async function onFresh<Result>(work: () => Promise<Result>): Promise<Result> {
  const id = await node.snapshot()
  try {
    return await work()
  } finally {
    await node.revert(id)
  }
}

test('the fork has the chain id, the head and the state of its remote', async () => {
  expect(node.chainId).toBe(77)
  expect(await node.request('eth_blockNumber')).toBe(await remote.request('eth_blockNumber'))
  for (const [method, params] of [
    ['eth_getCode', [remote.counter, 'latest']],
    ['eth_getTransactionCount', [remote.accounts[0], 'latest']],
    ['eth_getBlockByNumber', ['latest', true]],
    ['eth_getStorageAt', [remote.counter, '0x2', 'latest']],
  ] as const) {
    expect(await node.request(method, params)).toEqual(await remote.request(method, params))
  }
  expect(await slot(node, 0)).toBe(word(1))
})

test('a dump has the changed accounts whole, with the code of the remote', async () => {
  await onFresh(async () => {
    await node.request('anvil_setBalance', [remote.counter, '0x5'])
    await node.request('anvil_setStorageAt', [remote.counter, '0x9', word(4)])
    const dump = (await node.request('standin_dumpGenesis', [])) as { alloc: Record<string, object> }
    const dumped = dump.alloc[remote.counter.slice(2).toLowerCase()]
    expect(dumped).toMatchObject({
      balance: '0x5',
      code: await remote.request('eth_getCode', [remote.counter, 'latest']),
      storage: { [word(9)]: word(4) },
    })
  })
})

test('sequences of calls run at, below and above the fork', async () => {
  // Returns the balance of the first account.
  const balance = { data: `0x73${remote.accounts[0]?.slice(2)}3160005260206000f3` }
  const many = async (blockNumber: string) => {
    const bundles = [{ transactions: [balance] }]
    const [answers] = (await node.request('eth_callMany', [bundles, { blockNumber }])) as [unknown[]]
    return answers
  }
  await onFresh(async () => {
    const head = (await node.request('eth_blockNumber')) as string
    await callCounter(node)
    const blocks = ['latest', head, `0x${remote.firstBlock.toString(16)}`]
    const answers = await Promise.all(blocks.map(many))
    expect(answers).toEqual(
      await Promise.all(
        blocks.map(async (block) => [{ value: await node.request('eth_call', [balance, block]) }]),
      ),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(3)
    const asked = [[{ transactions: [balance] }], { blockNumber: head, transactionIndex: 0 }]
    expect(await node.request('eth_callMany', asked)).toEqual(await remote.request('eth_callMany', asked))
  })
})

test('data below the fork is passed unchanged from the remote', async () => {
  const block = (await remote.request('eth_getBlockByNumber', [
    `0x${remote.firstBlock.toString(16)}`,
    true,
  ])) as {
    hash: string
    number: string
    transactions: { hash: string }[]
  }
  const [transaction] = block.transactions
  for (const [method, params] of [
    ['eth_getBlockByNumber', [block.number, true]],
    ['eth_getBlockByNumber', ['earliest', false]],
    ['eth_getBlockByHash', [block.hash, false]],
    ['eth_getBlockReceipts', [block.number]],
    ['eth_getTransactionByHash', [transaction?.hash]],
    ['eth_getTransactionReceipt', [transaction?.hash]],
    ['eth_getTransactionByBlockNumberAndIndex', [block.number, '0x0']],
    ['eth_getBlockTransactionCountByHash', [block.hash]],
    ['eth_getBalance', [remote.accounts[1], block.number]],
    ['eth_getStorageAt', [remote.counter, '0x1', { blockHash: block.hash }]],
    ['eth_call', [{ to: remote.counter }, block.number]],
    ['eth_getProof', [remote.counter, ['0x2'], block.number]],
    ['eth_getProof', [remote.counter, ['0x2'], `0x${remote.head.toString(16)}`]],
    ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest', address: remote.counter }]],
    ['debug_traceTransaction', [transaction?.hash, { tracer: 'callTracer' }]],
    ['eth_feeHistory', ['0x3', 'latest', [50]]],
  ] as const) {
    expect([method, await node.request(method, params)]).toEqual([
      method,
      await remote.request(method, params),
    ])
  }
  expect(await node.request('eth_getTransactionByHash', [word(5)])).toBeNull()
  await expect(node.request('eth_getBalance', ['nonsense', block.number])).rejects.toThrow()
})

test('local blocks extend the fork without the remote', () =>
  onFresh(async () => {
    const hash = await callCounter(node)
    expect(await node.request('eth_blockNumber')).toBe(`0x${(remote.head + 1).toString(16)}`)
    expect(await slot(node, 0)).toBe(word(2))
    // A slot cleared locally is zero, and an unwritten one still has the remote's value.
    expect(await slot(node, 1)).toBe(word(0))
    expect(await slot(node, 2)).toBe(word(41))
    expect(await slot(remote, 0)).toBe(word(1))
    const receipt = (await node.request('eth_getTransactionReceipt', [hash])) as {
      status: string
      logs: object[]
    }
    expect(receipt).toMatchObject({ status: '0x1', logs: [{ data: word(2) }] })
    const block = (await node.request('eth_getBlockByNumber', ['latest', false])) as { parentHash: string }
    const parent = (await remote.request('eth_getBlockByNumber', ['latest', false])) as { hash: string }
    expect(block.parentHash).toBe(parent.hash)
    const logs = (await node.request('eth_getLogs', [
      { fromBlock: '0x0', address: remote.counter },
    ])) as object[]
    expect(logs).toMatchObject([{ data: word(1) }, { data: word(2) }])
    const history = (await node.request('eth_feeHistory', ['0x4', 'latest', [50]])) as Record<
      string,
      unknown[]
    >
    expect(history).toMatchObject({ oldestBlock: `0x${(remote.head - 2).toString(16)}` })
    expect(history['baseFeePerGas']).toHaveLength(5)
    expect(history['gasUsedRatio']).toHaveLength(4)
    expect(history['reward']).toHaveLength(4)
    await expect(node.request('eth_getProof', [remote.counter, [], 'latest'])).rejects.toThrow(
      `no proofs above block ${remote.head}`,
    )
  }))

test('local blocks, snapshots and pending blocks have the state of the fork', () =>
  onFresh(async () => {
    await callCounter(node)
    const id = await node.snapshot()
    await callCounter(node)
    expect(await slot(node, 0, `0x${(remote.head + 1).toString(16)}`)).toBe(word(2))
    expect(await slot(node, 0)).toBe(word(3))
    await node.request('evm_setAutomine', [false])
    await callCounter(node)
    expect(await slot(node, 0, 'pending')).toBe(word(4))
    expect(await slot(node, 2, 'pending')).toBe(word(41))
    await node.revert(id)
    expect(await slot(node, 0)).toBe(word(2))
    await node.request('evm_setAutomine', [true])
  }))

test('a destroyed account stays destroyed', () =>
  onFresh(async () => {
    const [from] = remote.accounts
    // Created and destroyed in one transaction (EIP-6780): PUSH20 beneficiary SELFDESTRUCT.
    const created = (await node.request('eth_sendTransaction', [
      { from, data: `0x73${remote.accounts[1]?.slice(2)}ff`, gas: '0x100000' },
    ])) as string
    const { contractAddress } = (await node.request('eth_getTransactionReceipt', [created])) as {
      contractAddress: string
    }
    expect(await node.request('eth_getCode', [contractAddress, 'latest'])).toBe('0x')
    expect(await node.request('eth_getTransactionCount', [contractAddress, 'latest'])).toBe('0x0')
  }))

test('local contracts have their own storage', () =>
  onFresh(async () => {
    const hash = await node.request('eth_sendTransaction', [
      { from: remote.accounts[0], data: counterCode, gas: '0x100000' },
    ])
    const { contractAddress: to } = (await node.request('eth_getTransactionReceipt', [hash])) as {
      contractAddress: string
    }
    await node.request('eth_sendTransaction', [{ from: remote.accounts[0], to, gas: '0x100000' }])
    expect(await node.request('eth_getStorageAt', [to, '0x0', 'latest'])).toBe(word(1))
    expect(await node.request('eth_getStorageAt', [to, '0x2', 'latest'])).toBe(word(41))
    expect(await node.request('eth_getStorageAt', [to, '0x3', 'latest'])).toBe(word(0))
  }))

test('accounts are funded and keep their nonces of the remote', async () => {
  const [own] = node.accounts
  expect(await node.request('eth_getBalance', [own?.address, 'latest'])).toBe('0x21e19e0c9bab2400000')
  expect(await node.request('eth_getTransactionCount', [own?.address, 'latest'])).toBe('0x3')
  await node.reset()
  expect(await node.request('eth_getBalance', [own?.address, 'latest'])).toBe('0x21e19e0c9bab2400000')
})

test("BLOCKHASH returns hashes of the remote's blocks", async () => {
  // Returns the hash of the block at NUMBER - 2: PUSH1 2 NUMBER SUB BLOCKHASH.
  const code = '0x6002430340' + '5f5260205ff3'
  const earlier = (await remote.request('eth_getBlockByNumber', [
    `0x${(remote.head - 2).toString(16)}`,
    false,
  ])) as {
    hash: string
  }
  const to = '0x00000000000000000000000000000000000c0de0'
  expect(await node.request('eth_call', [{ to }, 'latest', { [to]: { code } }])).toBe(earlier.hash)
})

test('a fork of an earlier block reads the state of that block', async () => {
  const early = await createNode({ port: 0, forkUrl: `${remote.url}@${remote.firstBlock}` })
  try {
    expect(Number(await early.request('eth_blockNumber'))).toBe(remote.firstBlock)
    expect(await slot(early, 0)).toBe(word(0))
    expect(await slot(early, 1)).toBe(word(7))
    const block = await remote.request('eth_getBlockByNumber', ['latest', false])
    expect(await early.request('eth_getBlockByHash', [(block as { hash: string }).hash, false])).toBeNull()
    await callCounter(early)
    expect(await slot(early, 1)).toBe(word(0))
  } finally {
    await early.stop()
  }
})

test('the node reports its remote without keys', async () => {
  const { hash } = (await remote.request('eth_getBlockByNumber', ['latest', false])) as { hash: string }
  const { host } = new URL(remote.url)
  expect(await node.request('anvil_metadata')).toMatchObject({
    chainId: 77,
    forkedNetwork: { chainId: 77, forkBlockNumber: remote.head, forkBlockHash: hash },
  })
  expect(await node.request('anvil_nodeInfo')).toMatchObject({
    forkConfig: { forkUrl: `http://${host}/…`, forkBlockNumber: remote.head },
  })
})
