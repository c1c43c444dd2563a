import type { NodeSettings } from '../options.js'
import type { RpcSettings } from '../rpc/backend.js'
import { compatibilityProfile } from '../rpc/compatibility.js'

/** Suggested tip of anvil and hardhat in wei per gas. */
const devnetStartTip = 1_000_000_000n
/** Geth's suggestion before it has seen a transaction (miner/miner.go, DefaultConfig). */
const gethStartTip = 1_000_000n

/** Derives the settings of methods from a node's settings. */
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
