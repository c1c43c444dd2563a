import { FileNetworkError } from '../../errors.js'
import { createKeyEncoder, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'

/** `key/rename`: gives a key another name. */
export const keyRename = defineCommand({
  description: 'Rename a key pair.',
  arguments: [pathArgument('name', 'The key.'), pathArgument('newName', 'Its new name.')],
  options: {
    force: { type: 'bool', aliases: ['f'], description: 'Replace the key that has the new name.' },
    'ipns-base': ipnsBaseOption,
  },
  async run({ args: [name = '', newName = ''], options }, { keystore }) {
    const encodeKey = createKeyEncoder(options['ipns-base'])
    if (name === selfName) throw new FileNetworkError("cannot rename key with name 'self'")
    if (newName === selfName) throw new FileNetworkError("cannot overwrite key with name 'self'")
    const key = await keystore.get(name)
    if (key === undefined) throw new FileNetworkError(`no key named ${name} was found`)
    let overwrites = false
    if (newName !== name) {
      overwrites = options.force === true && (await keystore.get(newName)) !== undefined
      if (overwrites) await keystore.delete(newName)
      await keystore.put(newName, key)
      await keystore.delete(name)
    }
    return single({ Was: name, Now: newName, Id: encodeKey(key.publicKey), Overwrite: overwrites })
  },
})
