import { rate, timed } from '../lib/statistics.mjs'

const RECIPIENT = `0x${'12'.repeat(20)}`

/**
 * Requests a second of a method with the same parameters; the first answer is compared between the nodes. The others
 * must be as long, and are not read further: the client's own work would be measured with the node's.
 */
async function answered({ client }, method, parameters, { count, inFlight = 1 }) {
  const body = client.body(method, parameters)
  const first = await client.post(body)
  const answer = client.result(first)
  const ask = async () => {
    const length = await client.load(body)
    if (length !== first.length)
      throw new Error(`${method}: an answer of ${length} bytes after ${first.length}`)
  }
  const value = await rate(ask, { count, inFlight })
  return { value, answer: typeof answer === 'string' ? answer : JSON.stringify(answer) }
}

/** Gas of so many turns of a loop: the cost of a turn is the difference of two estimates. */
async function turnsFor({ client, stage }, name, gas) {
  const estimate = async (turns) =>
    Number(await client.call('eth_estimateGas', stage.callObject(name, [turns], { gas: '0x1000000' })))
  const perTurn = (await estimate(2000)) - (await estimate(1000))
  return Math.floor((gas * 1000) / perTurn)
}

/** @param share the share of anvil's speed that is the goal */
function loop({ name, title, share, megagas }) {
  return {
    title,
    unit: 'Mgas/s',
    better: 'higher',
    goal: { times: share, of: 'anvil' },
    async run(running) {
      const { client, stage } = running
      const key = `turns of ${name}`
      running[key] ??= await turnsFor(running, name, megagas * 1e6)
      const call = stage.callObject(name, [running[key]], { gas: '0x1000000' })
      return megagas / ((await timed(() => client.call('eth_call', call, 'latest'))) / 1000)
    },
  }
}

/** What executes without a transaction. */
export const calls = ({ executions }) => ({
  id: 'calls',
  async prepare({ stage }) {
    await stage.deploy()
    await stage.send(stage.sign('transfer', [RECIPIENT, 1n]))
  },
  measures: [
    ...[1, 4].map((inFlight) => ({
      title: `eth_estimateGas of an ERC-20 transfer, ${inFlight} in flight`,
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 1, of: 'anvil' },
      async run(running) {
        const call = running.stage.callObject('transfer', [RECIPIENT, 5n])
        const count = running.name === 'ganache' ? 20 : executions
        // Estimates differ by how a node searches; they are not compared.
        return (await answered(running, 'eth_estimateGas', [call], { count, inFlight })).value
      },
    })),
    {
      title: 'eth_estimateGas of 40 nested calls with writes',
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 1, of: 'anvil' },
      async run(running) {
        const call = running.stage.callObject('descend', [40])
        const count = running.name === 'ganache' ? 2 : executions / 10
        return (await answered(running, 'eth_estimateGas', [call], { count })).value
      },
    },
    {
      title: 'eth_call of balanceOf, 8 in flight',
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 0.85, of: 'anvil' },
      run(running) {
        const call = running.stage.callObject('balanceOf', [RECIPIENT])
        return answered(running, 'eth_call', [call, 'latest'], { count: 2 * executions, inFlight: 8 })
      },
    },
    {
      title: 'eth_createAccessList of an ERC-20 transfer',
      unit: 'requests/s',
      better: 'higher',
      goal: { times: 0.3, of: 'anvil' },
      async run(running) {
        if (running.name === 'hardhat' || running.name === 'ganache') return undefined
        const call = running.stage.callObject('transfer', [RECIPIENT, 5n])
        return (await answered(running, 'eth_createAccessList', [call, 'latest'], { count: executions }))
          .value
      },
    },
    loop({ name: 'arithmetic', title: 'EVM loop, arithmetic', share: 0.12, megagas: 15 }),
    loop({ name: 'hashes', title: 'EVM loop, keccak', share: 0.1, megagas: 10 }),
  ],
})
