import { setAutomine } from '../lib/nodes.mjs'
import { timed } from '../lib/statistics.mjs'

const RECIPIENT = `0x${'12'.repeat(20)}`
const USUAL_GAS_LIMIT = 30_000_000
/** Gas limit of a block that fits all pending ERC-20 transfers. */
const LARGE_GAS_LIMIT = 60_000_000

/** Measures transactions per second when each is sent after the receipt of the previous one. */
async function sequential({ stage }, raws) {
  const milliseconds = await timed(async () => {
    for (const raw of raws) await stage.send(raw)
  })
  return (raws.length * 1000) / milliseconds
}

/** Measures milliseconds of mining the given transactions in one block. */
async function mineAll(running, raws) {
  const { client } = running
  await setAutomine(running, false)
  await client.callMany(
    'eth_sendRawTransaction',
    raws.map((raw) => [raw]),
  )
  const milliseconds = await timed(() => client.call('evm_mine'))
  const block = await client.call('eth_getBlockByNumber', 'latest', false)
  await setAutomine(running, true)
  if (block.transactions.length !== raws.length) {
    throw new Error(`${block.transactions.length} of ${raws.length} transactions were mined`)
  }
  return { value: milliseconds, answer: block.gasUsed }
}

/** Sequential transactions, and many in one block. */
export const transactions = ({ transfers, queued }) => ({
  id: 'transactions',
  prepare: ({ stage }) => stage.deploy(),
  measures: [
    {
      title: 'transfer, automine, signed, with receipt',
      unit: 'transactions/s',
      better: 'higher',
      goal: { times: 1.4, of: 'hardhat' },
      run(running) {
        const [, signer] = running.stage.signers
        const raws = Array.from({ length: transfers }, () => signer.sign({ to: RECIPIENT, value: 1n }))
        return sequential(running, raws)
      },
    },
    {
      title: 'ERC-20 transfer, the same',
      unit: 'transactions/s',
      better: 'higher',
      goal: { times: 1, of: 'hardhat' },
      run(running) {
        const { stage } = running
        return sequential(
          running,
          Array.from({ length: transfers }, () => stage.sign('transfer', [RECIPIENT, 1n])),
        )
      },
    },
    {
      title: `evm_mine of ${queued} pending transfers`,
      unit: 'ms',
      better: 'lower',
      goal: { times: 0.5, of: 'hardhat' },
      run(running) {
        const { signers } = running.stage
        const raws = Array.from({ length: queued }, (_, i) =>
          signers[i % 10].sign({ to: RECIPIENT, value: 1n }),
        )
        return mineAll(running, raws)
      },
    },
    {
      title: `evm_mine of ${queued} pending ERC-20 transfers`,
      unit: 'ms',
      better: 'lower',
      goal: { times: 0.5, of: 'hardhat' },
      async run(running) {
        const { stage, client } = running
        await client.call('evm_setBlockGasLimit', LARGE_GAS_LIMIT)
        const raws = Array.from({ length: queued }, () =>
          stage.sign('transfer', [RECIPIENT, 1n], { gasLimit: 60_000n }),
        )
        const mined = await mineAll(running, raws)
        await client.call('evm_setBlockGasLimit', USUAL_GAS_LIMIT)
        return mined
      },
    },
  ],
})
