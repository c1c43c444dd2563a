import type { Impersonation } from '../chain/accounts/impersonation.js'
import type { Keyring } from '../chain/accounts/keyring.js'
import type { Wallet } from '../chain/accounts/wallet.js'
import type { Chain } from '../chain/chain.js'
import type { MessageExecutor } from '../chain/execution/executor.js'
import type { MovableSchedule } from '../chain/execution/movableSchedule.js'
import type { SignatureRecoveries } from '../chain/execution/signatureRecoveries.js'
import type { TransactionIntake } from '../chain/intake.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { Snapshots } from '../chain/snapshots.js'
import type { Controls } from '../rpc/controls.js'
import type { Habits } from '../rpc/habits.js'
import type { ChainBases } from './chainBases.js'
import { createAccountControls, createPoolControls } from './controls/accounts.js'
import { createClockControls } from './controls/clock.js'
import { createHistoryControls } from './controls/history.js'
import { createMiningControls } from './controls/mining.js'
import { createNodeControls } from './controls/node.js'
import { createStateControls } from './controls/state.js'
import type { Instance } from './instance.js'

/** What the controls of a chain work on. */
export interface ControlParts {
  chain: Chain
  bases: ChainBases
  schedule: MiningSchedule
  snapshots: Snapshots
  intake: TransactionIntake
  executor: MessageExecutor
  keyring: Keyring
  impersonation: Impersonation
  wallet: Wallet
  schedules: MovableSchedule
  recoveries: SignatureRecoveries
  instance: Instance
  /** Whether the node tells about blocks and calls; changes in place. */
  logging: { enabled: boolean }
  habits: Habits
}

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
