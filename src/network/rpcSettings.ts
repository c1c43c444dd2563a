import type { NodeSettings } from '../options.js'
import type { RpcSettings } from '../rpc/backend.js'

/** The limits and choices of a node, as methods take them. */
export function rpcSettings(settings: NodeSettings): RpcSettings {
  return {
    maxLogs: settings.logsMaxResults,
    logTimeoutMilliseconds: settings.logsTimeoutMs,
    maxLogParameters: settings.logsMaxParameters,
    maxLogRange: settings.logsMaxRange,
    logsRange: settings.logsRange,
    logsError: settings.logsError,
    gasCapInBlocks: settings.gasCapBlocks,
    maxTraceBytes: settings.maxResponse,
    totalDifficulty: !settings.noTotalDifficulty,
    pendingFields: settings.pendingFields,
    compat: settings.compat,
  }
}
