import { describe, it } from 'vitest'
import { recordAndReplay, recordAndReplayFiles, startSecondNode } from './replaying.js'
import { flows } from './suites.js'

describe('concurrent clients are replayed in any order', () => {
  it('viem and ethers', async () => {
    await recordAndReplay(await startSecondNode(), flows, 3)
  })

  it('kubo-rpc-client', async () => {
    const { ipfsUrl, stop } = await startSecondNode()
    await recordAndReplayFiles({ ipfsUrl: ipfsUrl!, stop }, 3)
  })
})
