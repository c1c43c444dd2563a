import { oneRequest } from '../lib/goals.mjs'
import { settledLatency, settleNode } from '../lib/settled.mjs'
import { latency, randomFrom, settle, summarise, timed } from '../lib/statistics.mjs'

const OFFSET = 2n ** 64n
const hexOf = (value, bytes) => `0x${value.toString(16).padStart(bytes * 2, '0')}`

const rss = {
  title: 'resident memory',
  unit: 'MB',
  better: 'lower',
  goal: { limit: 260 },
  once: true,
  run: async ({ process }) => process.memory(),
}

/** A transfer to a random existing account, with its receipt. */
const transferTo = (title, count) => ({
  title,
  unit: 'ms',
  better: 'lower',
  goal: { times: 1, of: 'hardhat', also: 'flat' },
  run(running) {
    const { stage, size, round } = running
    const random = randomFrom(round + 7)
    const input = () => stage.signers[1].sign({ to: hexOf(OFFSET + BigInt(random(size)), 20), value: 1n })
    return settledLatency(running, (raw) => stage.send(raw), { count, input })
  },
})

const proof = (count) => ({
  title: 'eth_getProof of an account and two slots',
  unit: 'ms',
  better: 'lower',
  goal: { limit: 0.4, yardstick: oneRequest, also: 'flat' },
  run(running) {
    const { client, stage, round } = running
    const random = randomFrom(round + 11)
    const slot = () => hexOf(OFFSET + BigInt(random(100)), 32)
    const input = () => [stage.contract, [slot(), slot()], 'latest']
    const work = (parameters) => client.call('eth_getProof', ...parameters)
    return settledLatency(running, work, { count, input })
  },
})

/**
 * Blocks that fill the ring buffers of EIP-2935 (block hashes) and EIP-4788 (beacon roots): one more than 8,191 slots.
 */
const RING_BLOCKS = 8192

/**
 * Warms a small node up to its usual speed, on a chain with full ring buffers: until they are full, their tries grow
 * with every block, and these groups must not measure that growth.
 */
async function settleChain({ client, name, stage }) {
  if (name === 'ganache') await client.call('evm_mine', { blocks: RING_BLOCKS })
  else await client.call('hardhat_mine', `0x${RING_BLOCKS.toString(16)}`)
  for (let i = 0; i < 1000; i++) {
    await stage.send(stage.signers[1].sign({ to: stage.signers[0].address, value: 1n }))
  }
}

/** Work that may depend on the number of accounts. */
export const accounts = ({ accountSizes, samples }) => ({
  id: 'accounts',
  async prepare(running) {
    await running.stage.deploy()
    await running.stage.fillSlots(0, 100)
    await settleChain(running)
  },
  growth: {
    name: 'accounts',
    sizes: accountSizes,
    grow: ({ stage }, from, to) => stage.fundAccounts(from, to),
  },
  measures: [
    transferTo('an automined transfer with its receipt', samples),
    proof(samples),
    {
      title: 'evm_snapshot',
      unit: 'ms',
      better: 'lower',
      goal: { limit: 0.2, yardstick: oneRequest },
      run: ({ client }) => latency(() => client.call('evm_snapshot'), { count: 20 }),
    },
    {
      title: 'evm_revert',
      unit: 'ms',
      better: 'lower',
      goal: { limit: 0.3, yardstick: oneRequest },
      async run({ client, stage }) {
        const values = []
        for (let i = 0; i < 20; i++) {
          const snapshot = await client.call('evm_snapshot')
          const gasLimit = 100_000n + BigInt(i)
          await stage.send(stage.signers[2].sign({ to: stage.contract, data: '0x18160ddd', gasLimit }))
          stage.signers[2].nonce--
          values.push(await timed(() => client.call('evm_revert', snapshot)))
        }
        return summarise(values).median
      },
    },
    {
      title: 'memory of 100 snapshots',
      unit: 'MB',
      better: 'lower',
      goal: { limit: 0.5 },
      once: true,
      async run({ client, process }) {
        const values = []
        for (let i = 0; i < 5; i++) {
          // Warm-up: an idle heap grows with any request.
          await settle(async () => client.call('evm_revert', await client.call('evm_snapshot')))
          const before = process.memory()
          const first = await client.call('evm_snapshot')
          for (let taken = 1; taken < 100; taken++) await client.call('evm_snapshot')
          values.push(Math.max(0, process.memory() - before))
          await client.call('evm_revert', first)
        }
        return summarise(values).median
      },
    },
    rss,
  ],
})

/** Work that may depend on the number of storage slots of one contract. */
export const slots = ({ slotSizes, samples }) => ({
  id: 'slots',
  async prepare(running) {
    await running.stage.deploy()
    await settleChain(running)
  },
  growth: {
    name: 'slots of one contract',
    sizes: slotSizes,
    grow: ({ stage }, from, to) => stage.fillSlots(from, to),
  },
  measures: [
    {
      title: 'an automined transaction that writes a slot',
      unit: 'ms',
      better: 'lower',
      goal: { also: 'flat' },
      run(running) {
        const { stage } = running
        running.nextSlot ??= 2n ** 65n
        const input = () => stage.sign('fill', [running.nextSlot++, 1])
        return settledLatency(running, (raw) => stage.send(raw), { count: samples, input })
      },
    },
    proof(samples),
  ],
})

/** Every nth mark is reserved for the warm-up and never measured. */
const SETTLING_STRIDE = 5

/** Draws marks that the node has not been queried for yet, from the whole chain. */
function undrawn(running, { count, random }) {
  running.everDrawn ??= new Set()
  const numbers = []
  while (numbers.length < count) {
    const number = random(running.size)
    if (number % SETTLING_STRIDE === 0 || running.everDrawn.has(number)) continue
    running.everDrawn.add(number)
    numbers.push(number)
  }
  return numbers
}

/** Searches all blocks for the one log with the given mark. */
function findMark({ client, stage }, number) {
  const topics = [null, hexOf(BigInt(number), 32)]
  return client.call('eth_getLogs', {
    address: stage.contract,
    fromBlock: 'earliest',
    toBlock: 'latest',
    topics,
  })
}

/** Work that may depend on the number of blocks. */
export const chain = ({ chainSizes, samples }) => ({
  id: 'chain',
  prepare: ({ stage }) => stage.deploy(),
  growth: { name: 'blocks', sizes: chainSizes, grow: ({ stage }, from, to) => stage.growChain(from, to) },
  measures: [
    {
      title: 'eth_getLogs over the whole chain, one match, first query after a pause',
      unit: 'ms',
      better: 'lower',
      async run(running) {
        const [number] = undrawn(running, { count: 1, random: randomFrom(running.round + 3) })
        let found
        const value = await timed(async () => (found = await findMark(running, number)))
        return { value, answer: found.map(({ topics: [, topic] }) => topic).join() }
      },
    },
    {
      title: 'eth_getLogs over the whole chain, one match, cold',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      async run(running) {
        const random = randomFrom(running.round + 5)
        running.drawn = undrawn(running, { count: samples, random })
        const input = () => random(running.size / SETTLING_STRIDE) * SETTLING_STRIDE
        await settleNode(running, (number) => findMark(running, number), { input })
        const drawn = running.drawn.values()
        return latency((number) => findMark(running, number), {
          count: samples,
          input: () => drawn.next().value,
        })
      },
    },
    {
      title: 'eth_getLogs over the whole chain, one match, warm',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      run(running) {
        const drawn = running.drawn.values()
        return latency((number) => findMark(running, number), {
          count: samples,
          input: () => drawn.next().value,
        })
      },
    },
    {
      title: 'eth_getBlockByNumber of a random block',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      run(running) {
        const { client, size, round } = running
        const random = randomFrom(round + 13)
        const input = () => `0x${(1 + random(size)).toString(16)}`
        const work = (number) => client.call('eth_getBlockByNumber', number, true)
        return settledLatency(running, work, { count: samples, input })
      },
    },
    {
      title: 'eth_call on a random block',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      run(running) {
        const { client, stage, size, round } = running
        const random = randomFrom(round + 17)
        const call = stage.callObject('balanceOf', [stage.signers[0].address])
        const input = () => `0x${(1 + random(size)).toString(16)}`
        const work = (number) => client.call('eth_call', call, number)
        return settledLatency(running, work, { count: samples, input })
      },
    },
    {
      title: 'eth_getProof of an account and a slot on a random block',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      run(running) {
        const { client, stage, size, round } = running
        const random = randomFrom(round + 19)
        const input = () => `0x${(1 + random(size)).toString(16)}`
        const work = (number) => client.call('eth_getProof', stage.contract, [hexOf(0n, 32)], number)
        return settledLatency(running, work, { count: samples, input })
      },
    },
    {
      title: 'an automined ERC-20 transfer with its receipt',
      unit: 'ms',
      better: 'lower',
      goal: { times: 1, of: 'hardhat', also: 'flat' },
      async run(running) {
        const { client, stage } = running
        const [sender, , , , recipient] = stage.signers
        const { nonce } = sender
        const snapshot = await client.call('evm_snapshot')
        const input = () => stage.sign('transfer', [recipient.address, 1n])
        const value = await settledLatency(running, (raw) => stage.send(raw), { count: samples, input })
        // Restore the length of the chain that the row states.
        await client.call('evm_revert', snapshot)
        sender.nonce = nonce
        return value
      },
    },
    rss,
  ],
})
