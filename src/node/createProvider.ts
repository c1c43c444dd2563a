import type { NodeSettings } from '../options.js'
import type { ModeDecision } from '../provider/mode.js'
import { decideMode } from '../provider/mode.js'
import { Provider } from '../provider/provider.js'
import { readKeys, setFaults } from './configuration.js'
import type { NodeHooks } from './hooks.js'

/**
 * Makes a node's provider from its settings, the keys file and the faults file.
 *
 * @throws ConfigurationError that names the path to what is wrong.
 */
export async function createProvider(
  settings: NodeSettings,
  hooks: NodeHooks,
): Promise<{ provider: Provider; decision: ModeDecision }> {
  const { keys, plans } = await readKeys(settings)
  const decision = decideMode({ mode: settings.mode, hosts: settings.host, keys })
  for (const warning of decision.warnings) hooks.warn?.(warning)
  const provider = new Provider({
    ...settings,
    mode: decision.mode,
    keys: decision.keys,
    plans,
    allowedOrigins: settings.allowOrigin,
    filesWithoutCredentials: settings.noIpfsAuth,
    onFailure: hooks.failure,
  })
  await setFaults(provider, settings)
  return { provider, decision }
}
