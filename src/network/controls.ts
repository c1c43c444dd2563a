import type { Controls } from '../rpc/controls.js'
import { createAccountControls, createPoolControls } from './controls/accounts.js'
import { createClockControls } from './controls/clock.js'
import { createHistoryControls } from './controls/history.js'
import { createMiningControls } from './controls/mining.js'
import { createNodeControls } from './controls/node.js'
import { createStateControls } from './controls/state.js'
import type { ControlParts } from './controls/parts.js'

/** The controls that test suites drive a chain with. */
export function createControls(parts: ControlParts): Controls {
  return {
    ...createMiningControls(parts),
    ...createClockControls(parts),
    ...createHistoryControls(parts),
    ...createStateControls(parts),
    ...createAccountControls(parts),
    ...createPoolControls(parts),
    ...createNodeControls(parts),
  }
}
