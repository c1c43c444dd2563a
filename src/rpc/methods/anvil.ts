import type { Method } from '../method.js'
import { addBalance } from './anvil/addBalance.js'
import { autoImpersonateAccount } from './anvil/autoImpersonateAccount.js'
import { dealERC20 } from './anvil/dealERC20.js'
import { dropAllTransactions } from './anvil/dropAllTransactions.js'
import { dropTransaction } from './anvil/dropTransaction.js'
import { dumpState } from './anvil/dumpState.js'
import { getAutomine } from './anvil/getAutomine.js'
import { getBlobByHash } from './anvil/getBlobByHash.js'
import { getBlobsByTransactionHash } from './anvil/getBlobsByTransactionHash.js'
import { getGenesisTime } from './anvil/getGenesisTime.js'
import { getIntervalMining } from './anvil/getIntervalMining.js'
import { impersonateAccount } from './anvil/impersonateAccount.js'
import { impersonateSignature } from './anvil/impersonateSignature.js'
import { loadState } from './anvil/loadState.js'
import { metadata } from './anvil/metadata.js'
import { mine } from './anvil/mine.js'
import { nodeInfo } from './anvil/nodeInfo.js'
import { removeBlockTimestampInterval } from './anvil/removeBlockTimestampInterval.js'
import { removePoolTransactions } from './anvil/removePoolTransactions.js'
import { reorg } from './anvil/reorg.js'
import { reset } from './anvil/reset.js'
import { rollback } from './anvil/rollback.js'
import { setBalance } from './anvil/setBalance.js'
import { setBlockTimestampInterval } from './anvil/setBlockTimestampInterval.js'
import { setChainId } from './anvil/setChainId.js'
import { setCode } from './anvil/setCode.js'
import { setCoinbase } from './anvil/setCoinbase.js'
import { setERC20Allowance } from './anvil/setERC20Allowance.js'
import { setIntervalMining } from './anvil/setIntervalMining.js'
import { setLoggingEnabled } from './anvil/setLoggingEnabled.js'
import { setMinGasPrice } from './anvil/setMinGasPrice.js'
import { setNextBlockBaseFeePerGas } from './anvil/setNextBlockBaseFeePerGas.js'
import { setNextBlockPrevRandao } from './anvil/setNextBlockPrevRandao.js'
import { setNonce } from './anvil/setNonce.js'
import { setRpcUrl } from './anvil/setRpcUrl.js'
import { setStorageAt } from './anvil/setStorageAt.js'
import { stopImpersonatingAccount } from './anvil/stopImpersonatingAccount.js'

/** The methods whose names begin with `anvil_`. */
export const anvilMethods: readonly Method[] = [
  addBalance,
  autoImpersonateAccount,
  dealERC20,
  dropAllTransactions,
  dropTransaction,
  dumpState,
  getAutomine,
  getBlobByHash,
  getBlobsByTransactionHash,
  getGenesisTime,
  getIntervalMining,
  impersonateAccount,
  impersonateSignature,
  loadState,
  metadata,
  mine,
  nodeInfo,
  removeBlockTimestampInterval,
  removePoolTransactions,
  reorg,
  reset,
  rollback,
  setBalance,
  setBlockTimestampInterval,
  setChainId,
  setCode,
  setCoinbase,
  setERC20Allowance,
  setIntervalMining,
  setLoggingEnabled,
  setMinGasPrice,
  setNextBlockBaseFeePerGas,
  setNextBlockPrevRandao,
  setNonce,
  setRpcUrl,
  setStorageAt,
  stopImpersonatingAccount,
]
