import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '../lib/nodes.mjs'
import { Stage } from '../lib/workload.mjs'

/**
 * Measures milliseconds to the first answer on an existing data directory, and checks whether the last acknowledged
 * transaction survives if the process is killed immediately afterwards.
 */
export async function measureRestart({ nodes, rounds, blocks, accounts, log }) {
  const restarts = {}
  const survivals = {}
  for (const node of nodes.filter(({ dataDirectory }) => dataDirectory !== undefined)) {
    const directory = await mkdtemp(join(tmpdir(), 'standin-bench-'))
    try {
      const parameters = node.dataDirectory(directory)
      const running = await startNode(node, { parameters })
      const stage = await new Stage(running.client).deploy()
      await stage.fundAccounts(0, accounts)
      await stage.growChain(0, blocks)
      const raw = stage.signers[3].sign({ to: stage.contract, data: '0x18160ddd', gasLimit: 100_000n })
      const hash = await running.client.call('eth_sendRawTransaction', raw)
      await running.stop('SIGKILL')
      for (let round = 0; round < rounds; round++) {
        const again = await startNode(node, { parameters })
        ;(restarts[node.name] ??= []).push(again.startMilliseconds)
        const receipt = await again.client.call('eth_getTransactionReceipt', hash).catch(() => null)
        ;(survivals[node.name] ??= []).push(receipt === null ? 0 : 1)
        await again.stop()
      }
    } catch (error) {
      log(`  ${node.name}, restart: ${error.message.slice(0, 200)}`)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }
  return { restarts, survivals }
}
