import { FileNetworkError } from '../../errors.js'
import { createKeyEncoder, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, pathArguments, single } from '../../request/command.js'

/** `key/rm`: removes keys, up to the first that cannot be removed. */
export const keyRm = defineCommand({
  description: 'Remove key pairs.',
  arguments: [pathArguments('name', 'The keys.')],
  options: {
    l: { type: 'bool', description: 'For command lines.' },
    'ipns-base': ipnsBaseOption,
  },
  async run({ args, options }, { keystore }) {
    const encodeKey = createKeyEncoder(options['ipns-base'])
    const removed: { Name: string; Id: string }[] = []
    for (const name of args) {
      if (name === selfName) throw new FileNetworkError("cannot remove key with name 'self'")
      const key = await keystore.get(name)
      if (key === undefined) throw new FileNetworkError(`no key named ${name} was found`)
      await keystore.delete(name)
      removed.push({ Name: name, Id: encodeKey(key.publicKey) })
    }
    return single({ Keys: removed })
  },
})
