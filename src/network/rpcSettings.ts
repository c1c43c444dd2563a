import type { NodeSettings } from '../options.js'
import type { RpcSettings } from '../rpc/backend.js'
import { compatibilityProfile } from '../rpc/compatibility.js'

/** What anvil and hardhat suggest as a tip, wei per gas. */
const devnetStartTip = 1_000_000_000n
/** What geth suggests before it has seen a transaction (miner/miner.go, DefaultConfig). */
const gethStartTip = 1_000_000n

/** The settings of a node that methods answer by. */
export function rpcSettings(settings: NodeSettings): RpcSettings {
  const compatibility = compatibilityProfile(settings.compat)
  return {
    maxLogs: settings.logsMaxResults,
    logTimeoutMilliseconds: settings.logsTimeoutMs,
    maxLogParameters: settings.logsMaxParameters,
    maxLogRange: settings.logsMaxRange,
    logsRange: settings.logsRange ?? compatibility.logsRange,
    logsError: settings.logsError,
    gasCapInBlocks: settings.gasCapBlocks,
    startTip: settings.genesis === undefined ? devnetStartTip : gethStartTip,
    maxTraceBytes: settings.maxResponse,
    totalDifficulty: !settings.noTotalDifficulty,
    pendingFields: settings.pendingFields ?? compatibility.pendingFields,
    compatibility,
  }
}
