import { chainOptions } from './chainOptions.js'
import { devnetOptions } from './devnetOptions.js'
import { fileOptions } from './fileOptions.js'
import { forkOptions } from './forkOptions.js'
import { providerOptions } from './providerOptions.js'
import { serverOptions } from './serverOptions.js'

/** Every option of a node. Flags, environment, configuration file, help and documentation come from here. */
export const nodeOptionDefinitions = {
  ...serverOptions,
  ...chainOptions,
  ...forkOptions,
  ...devnetOptions,
  ...providerOptions,
  ...fileOptions,
}
