import { expect, it } from 'vitest'
import { interruptible, TraceBudget } from './budget.js'

it('starts no further transaction once the client is gone', async () => {
  const caller = new AbortController()
  const budget = new TraceBudget({ maxBytes: 1000, timeoutMilliseconds: Infinity, requester: caller })
  const begin = () => interruptible(async () => budget.restart())
  await begin()
  caller.abort()
  await expect(begin()).rejects.toThrow('execution timeout')
})
