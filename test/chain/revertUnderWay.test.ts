import type { Hex } from 'viem'
import { afterEach, expect, test, vi } from 'vitest'
import { Chain } from '../../src/chain/chain.js'
import { startDevnet, stopAll } from '../devnet/support.js'

afterEach(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

/** Calls this when a revert has moved the head and has not done the rest yet. */
function onceMoved(look: () => void | Promise<void>): void {
  const { touched } = Chain.prototype
  vi.spyOn(Chain.prototype, 'touched').mockImplementation(async function (this: Chain) {
    await look()
    return touched.call(this)
  })
}

test('snapshots that a revert uses up are not listed before it is done', async () => {
  const { call } = await startDevnet({ compat: 'anvil' })
  const [first, second] = [await call<Hex>('evm_snapshot'), await call<Hex>('evm_snapshot')]
  const listed: unknown[] = []
  onceMoved(async () => void listed.push(await call('anvil_metadata')))
  expect(await call('evm_revert', second)).toBe(true)
  expect(listed).toMatchObject([{ snapshots: { [first]: [0, expect.any(String)] } }])
})
