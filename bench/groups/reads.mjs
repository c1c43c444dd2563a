import { setAutomine } from '../lib/nodes.mjs'
import { randomFrom, rate, timed } from '../lib/statistics.mjs'

/** Reads of large blocks, many transactions and many logs. */
export const reads = ({ requests, logs }) => ({
  id: 'reads',
  async prepare(running) {
    const { client, stage } = running
    await stage.deploy()
    const logging = []
    for (let first = 0; first < logs; first += 500) {
      const raw = stage.sign('emitMany', [1_000_000 + first, 500], { gasLimit: 2_000_000n })
      logging.push((await stage.send(raw)).transactionHash)
    }
    await setAutomine(running, false)
    const raws = Array.from({ length: 500 }, (_, i) =>
      stage.signers[i % 10].sign({ to: stage.signers[0].address, value: 1n }),
    )
    const pending = await client.callMany(
      'eth_sendRawTransaction',
      raws.map((raw) => [raw]),
    )
    await client.call('evm_mine')
    running.fullBlock = (await client.call('eth_getTransactionByHash', pending[0])).blockNumber
    running.hashes = [...pending, ...logging]
  },
  measures: [
    {
      title: `eth_getLogs, ${logs} matches`,
      unit: 'ms',
      better: 'lower',
      goal: { times: 0.5, of: 'anvil' },
      async run({ client, stage }) {
        const query = { address: stage.contract, fromBlock: '0x2', toBlock: 'latest' }
        let bytes
        const value = await timed(async () => {
          bytes = await client.post(client.body('eth_getLogs', [query]))
        })
        return { value, answer: String(client.result(bytes).length) }
      },
    },
    {
      title: 'eth_getBlockByNumber, 500 full transactions',
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 10, of: 'hardhat' },
      async run({ client, fullBlock }) {
        const body = client.body('eth_getBlockByNumber', [fullBlock, true])
        const block = client.result(await client.post(body))
        const value = await rate(() => client.load(body), { count: requests / 20 })
        return { value, answer: String(block.transactions.length) }
      },
    },
    {
      title: 'eth_getTransactionByHash, 16 in flight',
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 3, of: 'hardhat' },
      async run({ client, hashes, round }) {
        const random = randomFrom(round)
        const asked = Array.from({ length: 500 }, () => hashes[random(hashes.length)])
        const bodies = asked.map((hash) => client.body('eth_getTransactionByHash', [hash]))
        const value = await rate((i) => client.load(bodies[i % 500]), { count: 2 * requests, inFlight: 16 })
        for (let i = 0; i < 500; i += 50) {
          const { hash } = client.result(await client.post(bodies[i]))
          if (hash !== asked[i]) throw new Error(`requested ${asked[i]} and received ${hash}`)
        }
        const { from } = client.result(await client.post(bodies[0]))
        return { value, answer: from.toLowerCase() }
      },
    },
  ],
})
