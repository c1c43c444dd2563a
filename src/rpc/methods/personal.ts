import type { Method } from '../method.js'
import { ecRecover } from './personal/ecRecover.js'
import { importRawKey } from './personal/importRawKey.js'
import { listAccounts } from './personal/listAccounts.js'
import { lockAccount } from './personal/lockAccount.js'
import { newAccount } from './personal/newAccount.js'
import { sendTransaction } from './personal/sendTransaction.js'
import { sign } from './personal/sign.js'
import { signTransaction } from './personal/signTransaction.js'
import { unlockAccount } from './personal/unlockAccount.js'

/** The methods whose names begin with `personal_`. */
export const personalMethods: readonly Method[] = [
  ecRecover,
  importRawKey,
  listAccounts,
  lockAccount,
  newAccount,
  sendTransaction,
  sign,
  signTransaction,
  unlockAccount,
]
