import type { NodeSettings } from '../options.js'
import type { RpcSettings } from '../rpc/backend.js'

/** What anvil and hardhat suggest as a tip, wei per gas. */
const devnetStartTip = 1_000_000_000n
/** What geth suggests before it has seen a transaction (miner/miner.go, DefaultConfig). */
const gethStartTip = 1_000_000n

/** The limits and choices of a node, as methods take them. */
export function rpcSettings(settings: NodeSettings): RpcSettings {
  return {
    maxLogs: settings.logsMaxResults,
    logTimeoutMilliseconds: settings.logsTimeoutMs,
    maxLogParameters: settings.logsMaxParameters,
    maxLogRange: settings.logsMaxRange,
    logsRange: settings.logsRange ?? (settings.compat === undefined ? 'strict' : 'lenient'),
    logsError: settings.logsError,
    gasCapInBlocks: settings.gasCapBlocks,
    startTip: settings.genesis === undefined ? devnetStartTip : gethStartTip,
    maxTraceBytes: settings.maxResponse,
    totalDifficulty: !settings.noTotalDifficulty,
    pendingFields: settings.pendingFields ?? (settings.compat === 'anvil' ? 'geth' : 'spec'),
    compat: settings.compat,
  }
}
