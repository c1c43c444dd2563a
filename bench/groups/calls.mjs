import { rate, timed } from '../lib/statistics.mjs'

const RECIPIENT = `0x${'12'.repeat(20)}`

/**
 * Measures requests per second of a method with fixed parameters. The first answer is compared between the nodes; of
 * the others only the length is checked, because parsing them would add the client's own work to the measurement.
 */
async function answered({ client }, method, parameters, { count, inFlight = 1 }) {
  const body = client.body(method, parameters)
  const first = await client.post(body)
  const answer = client.result(first)
  const ask = async () => {
    const length = await client.load(body)
    if (length !== first.length)
      throw new Error(`${method}: an answer has ${length} bytes instead of ${first.length}`)
  }
  const value = await rate(ask, { count, inFlight })
  return { value, answer: typeof answer === 'string' ? answer : JSON.stringify(answer) }
}

/** Iterations of a loop that use the given gas. The difference of two estimates gives the cost of an iteration. */
async function iterationsFor({ client, stage }, name, gas) {
  const estimate = async (iterations) =>
    Number(await client.call('eth_estimateGas', stage.callObject(name, [iterations], { gas: '0x1000000' })))
  const gasOfThousand = (await estimate(2000)) - (await estimate(1000))
  return Math.floor((gas * 1000) / gasOfThousand)
}

/** @param share the goal, as a fraction of anvil's speed */
function loop({ name, title, share, megagas }) {
  return {
    title,
    unit: 'Mgas/s',
    better: 'higher',
    goal: { times: share, of: 'anvil' },
    async run(running) {
      const { client, stage } = running
      const key = `iterations of ${name}`
      running[key] ??= await iterationsFor(running, name, megagas * 1e6)
      const call = stage.callObject(name, [running[key]], { gas: '0x1000000' })
      return megagas / ((await timed(() => client.call('eth_call', call, 'latest'))) / 1000)
    },
  }
}

/** Execution without a transaction. */
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
        // Not compared: estimates depend on the node's search algorithm.
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
