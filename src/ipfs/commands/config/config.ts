import { FileNetworkError, errorText } from '../../errors.js'
import type { Configuration } from '../../configuration/configuration.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'

/** `config`: shows or changes a setting. */
export const config = defineCommand({
  description: 'Show or change a setting.',
  arguments: [
    pathArgument('key', 'The setting, such as `Import.CidVersion`.'),
    { name: 'value', kind: 'string', required: false, variadic: false, description: 'Its new value.' },
  ],
  options: {
    bool: { type: 'bool', description: 'The value is true or false.' },
    json: { type: 'bool', description: 'The value is JSON.' },
    'expand-auto': { type: 'bool', description: 'No effect: nothing stands for automatic values.' },
  },
  async run({ args: [key = '', text], options }, { configuration }) {
    if (/^identity(\.privkey)?$/i.test(key)) {
      throw new FileNetworkError('cannot show or change private key through API')
    }
    if (concealsCredentials(key)) {
      throw new FileNetworkError('cannot show or change pinning services credentials')
    }
    if (text !== undefined) {
      if (options['expand-auto']) {
        throw new FileNetworkError(
          '--expand-auto can only be used for reading config values, not for setting them',
        )
      }
      await set(configuration, key, options.json ? parseJson(text) : options.bool ? text === 'true' : text)
    }
    return single({ Key: key, Value: get(configuration, key) })
  },
})

/** Keys of pinning services lie at `Pinning.RemoteServices.*.API.Key`; whatever shows them is refused. */
function concealsCredentials(key: string): boolean {
  const hidden = ['pinning', 'remoteservices', '*', 'api', 'key']
  const parts = key.toLowerCase().split('.')
  return hidden.every((part, index) => index >= parts.length || part === '*' || parts[index] === part)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileNetworkError(`failed to unmarshal json. ${errorText(error)}`)
  }
}

async function set(configuration: Configuration, key: string, value: unknown): Promise<void> {
  try {
    await configuration.set(key, value)
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    throw new FileNetworkError(`failed to set config value: ${error.message} (maybe use --json?)`)
  }
}

function get(configuration: Configuration, key: string): unknown {
  try {
    return configuration.get(key)
  } catch (error) {
    throw new FileNetworkError(`failed to get config value: ${JSON.stringify(errorText(error))}`)
  }
}
