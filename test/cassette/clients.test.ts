import { describe, it } from 'vitest'
import { recordAndReplay, recordAndReplayFiles, startSecondNode } from './replaying.js'
import { flows } from './suites.js'

describe('concurrent client traffic replays in any order', () => {
  it('of viem and ethers', async () => {
    await recordAndReplay(await startSecondNode(), flows, 3)
  })

  it('of kubo-rpc-client', async () => {
    const { ipfsUrl, stop } = await startSecondNode()
    await recordAndReplayFiles({ ipfsUrl: ipfsUrl!, stop }, 3)
  })
})
