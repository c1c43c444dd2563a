import type { Bomb } from './bomb.js'
import { codecs } from './codecs.js'
import { computing } from './computing.js'
import { configurations } from './configurations.js'
import { connections } from './connections.js'
import { controls } from './controls.js'
import { crowds } from './crowds.js'
import { fileDags } from './fileDags.js'
import { fileInputs } from './fileInputs.js'
import { fileNetwork } from './fileNetwork.js'
import { edges } from './edges.js'
import { largeNodes } from './largeNodes.js'
import { longSteps } from './longSteps.js'
import { recording } from './recording.js'
import { expectedRefusal } from './refusals.js'
import { remotes } from './remotes.js'
import { requests } from './requests.js'
import { shortInputs } from './shortInputs.js'
import { states } from './states.js'
import { texts } from './texts.js'
import { transactions } from './transactions.js'

export type { Bomb } from './bomb.js'

/** All bombs. Those that break the chain for others come last. */
export const bombs: readonly Bomb[] = [
  ...connections,
  ...computing,
  ...fileNetwork,
  ...fileDags,
  ...fileInputs,
  ...largeNodes,
  ...texts,
  ...codecs,
  ...configurations,
  ...requests,
  ...controls,
  ...recording,
  ...edges,
  ...longSteps,
  ...shortInputs,
  ...transactions,
  ...crowds,
  ...states,
  ...remotes,
].map((bomb) => ({ ...bomb, refusal: bomb.refusal ?? expectedRefusal(bomb.name) }))
