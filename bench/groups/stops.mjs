import { stopDuring as stop } from '../lib/longestStop.mjs'
import { setAutomine } from '../lib/nodes.mjs'
import { TRANSACTION_GAS } from '../lib/workload.mjs'

/** How long one request keeps another one waiting. */
export const stops = ({ logs }) => ({
  id: 'stops',
  startsCold: true,
  async prepare(running) {
    const { stage } = running
    await stage.deploy()
    await stage.fillSlots(0, 1000)
    for (let first = 0; first < logs; first += 500) {
      await stage.send(stage.sign('emitMany', [first, 500], { gasLimit: 2_000_000n }))
    }
    running.large = (
      await stage.send(stage.sign('fill', [2n ** 70n, 600], { gasLimit: TRANSACTION_GAS }))
    ).transactionHash
    running.next = 2n ** 71n
  },
  measures: [
    stop('the mining of a block of 27 million gas', 50, async (running) => {
      const { client, stage } = running
      await setAutomine(running, false)
      for (let i = 0; i < 2; i++) {
        running.next += 1000n
        const raw = stage.sign('fill', [running.next, 600], { gasLimit: 15_000_000n })
        await client.call('eth_sendRawTransaction', raw)
      }
      return ['evm_mine']
    }),
    stop('an eth_call of 300 million gas', 50, ({ name, stage }) => {
      if (name === 'hardhat' || name === 'ganache') throw new Error('does not execute that much gas')
      return ['eth_call', stage.callObject('arithmetic', [3_500_000], { gas: '0x11e1a300' }), 'latest']
    }),
    stop('a trace of 14 million gas', 50, ({ large }) => [
      'debug_traceTransaction',
      large,
      { disableStorage: true },
    ]),
    stop(`an answer of ${logs} logs`, 50, ({ stage }) => [
      'eth_getLogs',
      { address: stage.contract, fromBlock: '0x4', toBlock: 'latest' },
    ]),
    stop('a proof of 1,000 slots', 50, ({ stage }) => {
      const keys = Array.from(
        { length: 1000 },
        (_, i) => `0x${(2n ** 64n + BigInt(i)).toString(16).padStart(64, '0')}`,
      )
      return ['eth_getProof', stage.contract, keys, 'latest']
    }),
  ],
})
