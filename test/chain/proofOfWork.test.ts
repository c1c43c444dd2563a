import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { exportFiles } from '../../src/node/exportFiles.js'

const miner = `0x${'c0'.repeat(20)}`
const GENESIS_DIFFICULTY = 1_000_000n
const ETHER = 10n ** 18n

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'standin-work-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

it('continues with the difficulty and rewards of a proof-of-work genesis, so that nodes accept the chain', async () => {
  const genesis = join(directory, 'genesis.json')
  const config = { chainId: 7, homesteadBlock: 0, eip150Block: 0, eip155Block: 0, eip158Block: 0 }
  await writeFile(
    genesis,
    JSON.stringify({
      config,
      alloc: {},
      difficulty: `0x${GENESIS_DIFFICULTY.toString(16)}`,
      gasLimit: '0x1c9c380',
      timestamp: '0x1',
    }),
  )
  const dataDir = join(directory, 'made')
  const node = await createNode({ genesis, dataDir, noMining: true, listen: false })
  await node.request('anvil_setCoinbase', [miner])
  await node.request('evm_mine', ['0x8'])
  await node.request('evm_mine', ['0x64'])
  const difficulties: bigint[] = []
  for (const number of ['0x1', '0x2']) {
    const { difficulty } = (await node.request('eth_getBlockByNumber', [number, false])) as {
      difficulty: string
    }
    difficulties.push(BigInt(difficulty))
  }
  // EIP-2 adjusts by a 2048th for each ten seconds that a block took.
  const first = GENESIS_DIFFICULTY + GENESIS_DIFFICULTY / 2048n
  expect(difficulties).toEqual([first, first - 8n * (first / 2048n)])
  expect(BigInt((await node.request('eth_getBalance', [miner, 'latest'])) as string)).toBe(10n * ETHER)
  await node.stop()
  const file = join(directory, 'chain.rlp')
  const genesisFile = join(directory, 'exported.json')
  await exportFiles({ dataDir, network: undefined, file, genesisFile, to: undefined })
  const again = await createNode({ genesis: genesisFile, import: file, listen: false })
  expect(await again.request('eth_blockNumber')).toBe('0x2')
  await again.stop()
})

it('computes blob fees of a genesis with a difficulty by the blob schedule of its time, as geth does', async () => {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const config = {
    chainId: 1337,
    ...Object.fromEntries([...blocks, 'istanbul', 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    blobSchedule: {
      cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
      prague: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    },
  }
  const genesis = join(directory, 'blobs.json')
  await writeFile(
    genesis,
    JSON.stringify({
      config,
      difficulty: '0x1',
      gasLimit: '0x1c9c380',
      excessBlobGas: '0xa00000',
      blobGasUsed: '0x20000',
      alloc: { '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266': { balance: '0xde0b6b3a7640000' } },
    }),
  )
  const node = await createNode({ genesis, noMining: true, listen: false })
  // Answers of geth 1.17.10 with this genesis.
  expect(await node.request('eth_feeHistory', [2, 'latest', [99.9]])).toEqual({
    oldestBlock: '0x0',
    reward: [['0x0']],
    baseFeePerGas: ['0x3b9aca00', '0x342770c0'],
    gasUsedRatio: [0],
    baseFeePerBlobGas: ['0x8', '0x7'],
    blobGasUsedRatio: [0.1111111111111111],
  })
  expect(await node.request('eth_blobBaseFee', [])).toBe('0x8')
  const [from] = (await node.request('eth_accounts', [])) as string[]
  expect(await node.request('eth_sendTransaction', [{ from, to: from }])).toMatch(/^0x[0-9a-f]{64}$/)
  await node.stop()
})
