import { FileNetworkError } from '../../errors.js'
import { readKeyFile } from '../../names/keyFile.js'
import { createKeyEncoder, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, fileArgument, pathArgument, readFileArgument, single } from '../../request/command.js'

/** The longest accepted key file, in bytes. */
const KEY_LIMIT = 1024 * 1024

/** `key/import`: stores a key pair from a file. */
export const keyImport = defineCommand({
  description: 'Import a key pair.',
  arguments: [pathArgument('name', 'Name of the key.'), fileArgument('key', 'Private key.')],
  options: {
    'ipns-base': ipnsBaseOption,
    format: {
      type: 'string',
      aliases: ['f'],
      default: 'libp2p-protobuf-cleartext',
      description: 'Key format: `libp2p-protobuf-cleartext` or `pem-pkcs8-cleartext`.',
    },
    'allow-any-key-type': { type: 'bool', description: 'Allow keys other than RSA and Ed25519.' },
  },
  text: ({ Id }: { Id: string }) => `${Id}\n`,
  async run({ args: [name = ''], options, upload }, { keystore }) {
    if (name === selfName) throw new FileNetworkError("cannot import key with name 'self'")
    const encodeKey = createKeyEncoder(options['ipns-base'])
    const key = await readKeyFile(await readFileArgument(upload, KEY_LIMIT), options.format)
    if (!options['allow-any-key-type'] && !['RSA', 'Ed25519'].includes(key.type)) {
      const type = key.type === 'secp256k1' ? 'Secp256k1' : key.type
      throw new FileNetworkError(
        `key type *crypto.${type}PrivateKey is not allowed to be imported, only RSA or Ed25519; ` +
          "use flag --allow-any-key-type if you are sure of what you're doing",
      )
    }
    if ((await keystore.get(name)) !== undefined) {
      throw new FileNetworkError(`key with name '${name}' already exists`)
    }
    await keystore.put(name, key)
    return single({ Name: name, Id: encodeKey(key.publicKey) })
  },
})
