import type { NodeControls } from '../../rpc/controls.js'
import type { ControlParts } from './parts.js'

/** The node as it describes itself. */
export function createNodeControls(parts: ControlParts): NodeControls {
  const { chain, instance, schedules, logging } = parts
  return {
    facts: () => ({
      instanceId: instance.id,
      hardfork: chain.nextRules().hardfork(),
      order: chain.mempool.options.order,
      baseFee: chain.nextBaseFee(),
      gasLimit: chain.settings.gasLimit,
    }),
    setChainId: (chainId) => chain.adjust(() => schedules.setChainId(chainId)),
    setLogging: (enabled) => {
      logging.enabled = enabled
    },
  }
}
