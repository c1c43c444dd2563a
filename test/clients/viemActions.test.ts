import { BaseError } from 'viem'
import * as actions from 'viem/actions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'
import { type Peer, findPeer } from '../differential/devnets/peer.js'
import { foundryProgram } from '../support/foundry.js'
import { type ActionClient, type SceneResults, connectActions, leftOut, scenes } from './viemScenes.js'

const GAS_LIMIT = 30_000_000
const hasAnvil = foundryProgram('anvil') !== undefined
if (!hasAnvil) console.warn("skipped: foundry's anvil is not in test/peers")

/** Values that depend on the genesis, which the nodes do not share, and values that anvil randomizes. */
const ownMembers = new Set([
  'blockHash',
  'parentHash',
  'stateRoot',
  'receiptsRoot',
  'size',
  'mixHash',
  'accountProof',
])

/** Returns the result of an action, without values that two nodes cannot share. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Error) return comparableError(value)
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value === 'function') return 'function'
  if (typeof value !== 'object' || value === null) return value
  const isBlock = 'parentHash' in value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => typeof member !== 'function' && member !== undefined)
      .map(([name, member]: [string, unknown]) => [
        name,
        (ownMembers.has(name) || (isBlock && name === 'hash')) && member !== null
          ? typeof member
          : comparable(member),
      ]),
  )
}

/** Classes of an error from the outermost inwards, which callers check, and viem's message. */
function comparableError(error: Error): unknown {
  const names: string[] = []
  const details: unknown[] = []
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    names.push(cause.name)
    if ('data' in cause) details.push(comparable(cause.data))
  }
  return { names, shortMessage: error instanceof BaseError ? error.shortMessage : error.message, details }
}

async function outcome(
  client: ActionClient,
  results: SceneResults,
  { run }: (typeof scenes)[number],
): Promise<unknown> {
  try {
    return { value: comparable(await run(client, results)) }
  } catch (error) {
    // An error in the scene itself would be the same on both sides.
    if (!(error instanceof BaseError)) throw error
    return { error: comparable(error) }
  }
}

describe.skipIf(!hasAnvil)("viem's actions (skipped without anvil)", () => {
  let node: Awaited<ReturnType<typeof createNode>>
  let anvil: Peer
  const sides: { client: ActionClient; results: SceneResults }[] = []
  beforeAll(async () => {
    node = await createNode({ port: 0, compat: 'anvil', gasLimit: GAS_LIMIT })
    anvil = (await findPeer('anvil', GAS_LIMIT)?.()) as Peer
    for (const { url } of [node, anvil]) {
      const results = { answers: 0 } as SceneResults
      sides.push({ client: connectActions(url, results), results })
    }
  })
  afterAll(() => Promise.all([node.stop(), anvil.stop()]))

  it.each(scenes.map((scene, index) => [`${index} ${scene.action}`, scene] as const))(
    'give on this node what they give on anvil: %s',
    async (_, scene) => {
      const [ours, theirs] = await Promise.all(
        sides.map(({ client, results }) => outcome(client, results, scene)),
      )
      expect(ours).toEqual(theirs)
    },
  )
})

it('are all covered, or excluded for a reason', () => {
  const tried = new Set([...scenes.map(({ action }) => action), ...Object.keys(leftOut)])
  const exported = Object.entries(actions).filter(([, action]) => typeof action === 'function')
  expect(exported.map(([name]) => name).filter((name) => !tried.has(name))).toEqual([])
})
