import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { network } from 'hardhat'

describe('Counter', async () => {
  const { viem } = await network.getOrCreate('standin')

  it('counts', async () => {
    const counter = await viem.deployContract('Counter')
    await counter.write.increase([2n])
    await counter.write.increase([3n])
    assert.equal(await counter.read.value(), 5n)
  })

  it('reverts with a reason', async () => {
    const counter = await viem.deployContract('Counter')
    await assert.rejects(counter.write.increase([0n]), /nothing to add/)
  })
})
