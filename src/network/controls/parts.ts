import type { Impersonation } from '../../chain/accounts/impersonation.js'
import type { Keyring } from '../../chain/accounts/keyring.js'
import type { Wallet } from '../../chain/accounts/wallet.js'
import type { Chain } from '../../chain/chain.js'
import type { MessageExecutor } from '../../chain/execution/executor.js'
import type { MovableSchedule } from '../../chain/execution/movableSchedule.js'
import type { SignatureRecoveries } from '../../chain/execution/signatureRecoveries.js'
import type { TransactionSubmission } from '../../chain/mempool/submitTransaction.js'
import type { MiningSchedule } from '../../chain/mining/schedule.js'
import type { Snapshots } from '../../chain/controls/snapshots.js'
import type { Habits } from '../../rpc/habits.js'
import type { ChainBases } from '../chainBases.js'
import type { Instance } from '../instance.js'

/** What the controls of a chain work on. */
export interface ControlParts {
  chain: Chain
  bases: ChainBases
  schedule: MiningSchedule
  snapshots: Snapshots
  submission: TransactionSubmission
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
