import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNode, type NodeOptions, type StandinNode } from '../../src/index.js'
import { exportFiles } from '../../src/node/exportFiles.js'
import { recordedCases, startImported } from './support/chain.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'standin-export-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
function newPaths() {
  const dataDir = join(folder, `data-${++count}`)
  const file = join(folder, `chain-${count}.rlp`)
  return { dataDir, file, genesisFile: `${file}.genesis.json`, network: undefined, to: undefined }
}

async function headOf(node: StandinNode): Promise<string> {
  return ((await node.request('eth_getBlockByNumber', ['latest', false])) as { hash: string }).hash
}

async function pay(node: StandinNode, value: string): Promise<void> {
  const [from, to] = node.accounts.map(({ address }) => address)
  await node.request('eth_sendTransaction', [{ from, to, value }])
}

/** Starts a node, does some work with it, and returns the hash of its head. */
async function headAfter(options: NodeOptions, work: (node: StandinNode) => Promise<void>): Promise<string> {
  const node = await createNode({ port: 0, ...options })
  try {
    await work(node)
    return await headOf(node)
  } finally {
    await node.stop()
  }
}

describe.each(['osaka', 'cancun', 'london', 'berlin', 'homestead'] as const)(
  'a chain created under %s',
  (hardfork) => {
    test('is exported and imported to the same head', async () => {
      const paths = newPaths()
      const head = await headAfter({ dataDir: paths.dataDir, hardfork }, async (node) => {
        for (let i = 1; i <= 5; i++) await pay(node, `0x${i}`)
        await node.request('evm_mine')
      })
      expect(await exportFiles(paths)).toEqual({ first: 1n, last: 6n })
      const { file, genesisFile } = paths
      const again = await headAfter({ genesis: genesisFile, import: file }, async () => undefined)
      expect(again).toBe(head)
    })
  },
)

test('a chain without blocks is exported as an empty file', async () => {
  const paths = newPaths()
  const head = await headAfter({ dataDir: paths.dataDir }, async () => undefined)
  await exportFiles(paths)
  expect(readFileSync(paths.file)).toHaveLength(0)
  expect(await headAfter({ genesis: paths.genesisFile, import: paths.file }, async () => undefined)).toBe(
    head,
  )
})

test('refuses blocks altered by controls, naming the first, and writes nothing', async () => {
  const paths = newPaths()
  await headAfter({ dataDir: paths.dataDir }, async (node) => {
    await pay(node, '0x1')
    await node.request('anvil_setBalance', [node.accounts[3]?.address, '0x5'])
    await pay(node, '0x2')
    await pay(node, '0x3')
  })
  await expect(exportFiles(paths)).rejects.toThrow(
    'block 2 cannot be exported: a control changed its parent state',
  )
  expect(() => readFileSync(paths.file)).toThrow(/ENOENT/)
  expect(await exportFiles({ ...paths, to: 1n })).toEqual({ first: 1n, last: 1n })
  await headAfter({ genesis: paths.genesisFile, import: paths.file }, async (node) => {
    expect(await node.request('eth_blockNumber')).toBe('0x1')
  })
})

test('a base fee set by a control counts as altered', async () => {
  const paths = newPaths()
  await headAfter({ dataDir: paths.dataDir }, async (node) => {
    await pay(node, '0x1')
    await node.request('anvil_setNextBlockBaseFeePerGas', ['0x77359400'])
    await node.request('evm_mine')
  })
  await expect(exportFiles(paths)).rejects.toThrow(
    'block 2 cannot be exported: a control set its baseFeePerGas',
  )
})

test('refuses a directory that a node has open or that has no chain', async () => {
  const paths = newPaths()
  await expect(exportFiles(paths)).rejects.toThrow(`There is no chain in ${paths.dataDir}.`)
  await headAfter({ dataDir: paths.dataDir }, async () => {
    await expect(exportFiles(paths)).rejects.toThrow(/is already open in this process/)
  })
})

test.skipIf(recordedCases === undefined)(
  'the recorded chain is exported byte for byte (skipped if absent)',
  async () => {
    const paths = newPaths()
    const imported = await startImported({}, paths.dataDir)
    await imported.node.stop()
    await exportFiles(paths)
    expect(readFileSync(paths.file).equals(readFileSync(join(recordedCases ?? '', 'chain.rlp')))).toBe(true)
  },
)
