import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { randomCar } from '../lib/carFile.mjs'
import { partEnd, partHead, post } from '../lib/fileWork.mjs'
import { longestStop, stopDuring } from '../lib/longestStop.mjs'
import { setAutomine, startNode } from '../lib/nodes.mjs'
import { Stage } from '../lib/workload.mjs'

const MEBIBYTE = 1024 * 1024
const HEAVY_BLOCKS = 8
const importing = fileURLToPath(new URL('../lib/importingProcess.mjs', import.meta.url))
const run = promisify(execFile)

/** A state as anvil_dumpState encodes it: `size` accounts, and one account with `size` storage slots. */
function largeState(size) {
  const hex = (value, bytes) => `0x${value.toString(16).padStart(bytes * 2, '0')}`
  const accounts = {}
  const storage = {}
  for (let i = 0; i < size; i++) {
    accounts[hex(2n ** 80n + BigInt(i), 20)] = { nonce: 0, balance: '0x1', code: '0x', storage: {} }
    storage[hex(i, 32)] = hex(i + 1, 32)
  }
  accounts[hex(2n ** 90n, 20)] = { nonce: 1, balance: '0x0', code: '0x00', storage }
  const state = {
    block: null,
    accounts,
    best_block_number: null,
    blocks: [],
    transactions: [],
    historical_states: null,
  }
  return `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
}

/** Builds a chain of heavy blocks and exports it. @returns the files to import */
async function exportHeavyChain(node, directory) {
  const [dataDir, chain] = [join(directory, 'data'), join(directory, 'chain.rlp')]
  const running = await startNode(node, { parameters: node.dataDirectory(dataDir) })
  const stage = new Stage(running.client)
  await stage.deploy()
  await setAutomine(running, false)
  for (let i = 0; i < 2 * HEAVY_BLOCKS; i++) {
    const raw = stage.sign('fill', [2n ** 72n + BigInt(i) * 1000n, 600], { gasLimit: 15_000_000n })
    await running.client.call('eth_sendRawTransaction', raw)
    if (i % 2 === 1) await running.client.call('evm_mine')
  }
  await running.stop()
  await run(process.execPath, [node.entry, 'export', '--data-dir', dataDir, chain])
  return { genesis: `${chain}.genesis.json`, chain }
}

/** Measures the longest stop of a node while another node in the same process imports a chain. */
async function stopOfChainImport(node) {
  const directory = mkdtempSync(join(tmpdir(), 'standin-bench-import-'))
  let child
  try {
    const files = await exportHeavyChain(node, directory)
    child = fork(importing, [join(dirname(node.entry), '../dist/index.js')])
    const [{ url }] = await once(child, 'message')
    let head
    const longest = await longestStop(`${url}/`, async () => {
      child.send(files)
      const [message] = await once(child, 'message')
      head = message.head
    })
    if (Number(head) !== HEAVY_BLOCKS + 1) throw new Error(`the import stopped at block ${head}`)
    return longest
  } finally {
    child?.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

/** How long imports and dumps keep another request waiting. */
export const imports = ({ stateSize }) => ({
  id: 'imports',
  startsCold: true,
  measures: [
    stopDuring(`anvil_loadState of ${stateSize} accounts and slots`, 50, ({ name }) => {
      if (name === 'hardhat' || name === 'ganache') throw new Error('has no anvil_loadState')
      return ['anvil_loadState', largeState(stateSize)]
    }),
    stopDuring('anvil_dumpState of them', 50, ({ name }) => {
      if (name === 'hardhat' || name === 'ganache') throw new Error('has no anvil_dumpState')
      return ['anvil_dumpState']
    }),
    {
      title:
        'longest stop of eth_blockNumber during the import of a CAR of 10,000 small and 256 large blocks',
      unit: 'ms',
      better: 'lower',
      goal: { limit: 50 },
      async run({ node, url }) {
        if (!node.takesFiles) return undefined
        const car = randomCar([
          [300, 10_000],
          [MEBIBYTE / 4, 256],
        ])
        function* pieces() {
          yield partHead('car')
          for (let at = 0; at < car.length; at += MEBIBYTE) yield car.subarray(at, at + MEBIBYTE)
          yield partEnd
        }
        const target = `${url}api/v0/dag/import?pin-roots=false`
        return longestStop(url, () => post(target, pieces()))
      },
    },
    {
      title: `longest stop of eth_blockNumber during the import of ${HEAVY_BLOCKS} blocks of 27 million gas`,
      unit: 'ms',
      better: 'lower',
      goal: { limit: 50 },
      run: ({ node }) => (node.entry === undefined ? undefined : stopOfChainImport(node)),
    },
  ],
})
