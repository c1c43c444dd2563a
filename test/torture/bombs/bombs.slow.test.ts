import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { addFile, callRpc } from '../../support/rpc.js'
import { buildCommand } from '../../support/command.js'
import { bombs } from './index.js'
import { startBystander, startTorturedNode, untilIdle, type Bystander, type TorturedNode } from '../node.js'
import { call, callRaw, type Hex } from '../requests.js'
import { FILLED } from './requests.js'
import { ATTEMPTS, MAX_STOP, isFull } from '../settings.js'

/** Maximum wait for a file in milliseconds. Other processes cause shorter waits, occupied file threads longer ones. */
const MAX_FILE_WAIT = 1000
/** The client aborts a bomb that takes longer; the node must continue. */
const BOMB_MILLISECONDS = isFull ? 30_000 : 2500
/** Time for preparing a bomb, which is not measured. */
const PREPARATION_MILLISECONDS = 240_000
/** Time in which the node must become idle after a client has given up. */
const REST_MILLISECONDS = 60_000

let node: TorturedNode | undefined
let bystander: Bystander | undefined

beforeAll(buildCommand, 300_000)

/** Restarts a crashed node, so that only the bomb that crashed it fails. */
beforeEach(async () => {
  if (node?.isAlive() === true) return
  bystander?.stop()
  node = await startTorturedNode(['--allow-remote-reset'])
  await fillChain(node)
  const cid = await addFile(node.ready.ipfsUrl, new Uint8Array(1000).fill(1))
  bystander = await startBystander(node, cid)
}, 300_000)

afterAll(async () => {
  bystander?.stop()
  await node?.stop()
})

it.each(bombs.map((bomb) => [bomb.name, bomb] as const))(
  'no other request waits for: %s',
  { timeout: ATTEMPTS * (BOMB_MILLISECONDS + REST_MILLISECONDS) + PREPARATION_MILLISECONDS },
  async (name, bomb) => {
    if (node === undefined || bystander === undefined) throw new Error('the node is not running')
    let least = Infinity
    let seconds = 0
    let passed = Infinity
    let fileWait = Infinity
    let memory = 0
    let stacks: string[] = []
    const refusals: (string | undefined)[] = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (least <= MAX_STOP && fileWait <= MAX_FILE_WAIT) break
      await bomb.prepare?.(node)
      await untilIdle(node, REST_MILLISECONDS)
      const start = performance.now()
      try {
        refusals.push(await bomb.run(node, AbortSignal.timeout(BOMB_MILLISECONDS)))
      } catch (error) {
        if (!(error instanceof Error && error.name === 'TimeoutError')) throw error
      }
      seconds = (performance.now() - start) / 1000
      await callRpc(node.ready.url, 'eth_chainId', [])
      const measured = await node.measure()
      memory = measured.peakMemory
      if (measured.longest < least) stacks = measured.stacks
      least = Math.min(least, measured.longest)
      passed = Math.min(passed, measured.longestPassed)
      fileWait = Math.min(fileWait, measured.longestFileWait)
    }
    console.log(
      `${least.toFixed(0).padStart(6)} ms stop (${passed.toFixed(0)} ms wall clock) ${seconds.toFixed(1).padStart(6)} s ${(memory / 1e6).toFixed(0)} MB  ${name}${refusals[0] === undefined ? '' : ` (refused: ${refusals[0]})`}`,
    )
    for (const stack of stacks) console.log(`         ${stack}`)
    const { faults } = await bystander.read()
    expect(faults.filter((fault) => fault !== bomb.fault)).toEqual([])
    // Only the first refusal counts: the effects of an attempt may change the later ones.
    if (refusals.length > 0 && bomb.refusal === undefined) expect(refusals[0]).toBeUndefined()
    else if (refusals.length > 0) expect(refusals[0]).toContain(bomb.refusal)
    expect(least).toBeLessThan(MAX_STOP)
    expect(fileWait, 'longest wait for a file in milliseconds').toBeLessThan(MAX_FILE_WAIT)
  },
)

/** Prepares the chain for bombs: a contract, blocks with many logs, and a full mempool. */
async function fillChain(node: TorturedNode): Promise<void> {
  const [from] = await callRpc<Hex[]>(node.ready.url, 'eth_accounts', [])
  // Logs until some gas is left: JUMPDEST PUSH0 PUSH0 LOG0 GAS PUSH2 2710 LT PUSH0 JUMPI.
  const logger = '0x5b5f5fa05a612710105f57'
  await callRpc(node.ready.url, 'anvil_setCode', [`0x${'1'.repeat(40)}`, logger])
  for (let i = 0; i < 3; i++) {
    await callRpc(node.ready.url, 'eth_sendTransaction', [
      { from, to: `0x${'1'.repeat(40)}`, gas: '0xe4e1c0' },
    ])
  }
  // A contract with slots: JUMPDEST GAS GAS SSTORE GAS PUSH2 7530 LT PUSH0 JUMPI.
  await callRpc(node.ready.url, 'anvil_setCode', [FILLED, '0x5b5a5a555a617530105f57'])
  for (let i = 0; i < 5; i++) {
    await callRpc(node.ready.url, 'eth_sendTransaction', [{ from, to: FILLED, gas: '0xe4e1c0' }])
  }
  await call(node, 'evm_setAutomine', [false])
  for (let batch = 0; batch < 5; batch++) {
    const items = Array.from({ length: 1000 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_sendTransaction',
      params: [{ from, to: from, gas: '0x5208', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' }],
    }))
    await callRaw(node, JSON.stringify(items))
  }
}
