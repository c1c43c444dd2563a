import { FileNetworkError } from '../../errors.js'
import { createKeyEncoder, generateKey, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'

/** `key/gen`: makes a key pair to publish a name with. */
export const keyGen = defineCommand({
  description: 'Create a key pair.',
  arguments: [pathArgument('name', 'What to call it.')],
  options: {
    type: { type: 'string', aliases: ['t'], default: 'ed25519', description: 'ed25519 or rsa.' },
    size: { type: 'int', aliases: ['s'], description: 'Bits of an RSA key, 2048 to 8192. Default: 2048.' },
    'ipns-base': ipnsBaseOption,
  },
  async run({ args: [name = ''], options }, { keystore }) {
    if (name === selfName) throw new FileNetworkError("cannot create key with name 'self'")
    const encodeKey = createKeyEncoder(options['ipns-base'])
    if ((await keystore.get(name)) !== undefined) {
      throw new FileNetworkError(`key with name '${name}' already exists`)
    }
    const key = await generateKey(options.type, options.size)
    await keystore.put(name, key)
    return single({ Name: name, Id: encodeKey(key.publicKey) })
  },
})
