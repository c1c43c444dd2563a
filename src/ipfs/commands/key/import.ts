import { createPrivateKey } from 'node:crypto'
import { FileNetworkError, errorText } from '../../errors.js'
import { createKeyEncoder, decodeKey, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, fileArgument, pathArgument, readFileArgument, single } from '../../request/command.js'

/** The longest accepted key file, in bytes. */
const keyLimit = 1024 * 1024

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
    const content = await readFileArgument(upload, keyLimit)
    const key = await decodeKey(encodingOf(content, options.format)).catch((error: unknown) => {
      throw new FileNetworkError(`unable to unmarshall format=${options.format}: ${errorText(error)}`)
    })
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

/** Returns a key in libp2p's encoding. */
function encodingOf(content: Uint8Array, format: string): Uint8Array {
  if (format === 'libp2p-protobuf-cleartext') return content
  if (format === 'pem-pkcs8-cleartext') return encodingOfPem(Buffer.from(content).toString())
  throw new FileNetworkError(`unrecognized import format: ${format}`)
}

/** Key types of libp2p's protobuf, by Node's names (libp2p specs, peer-ids). */
const keyTypes: Readonly<Record<string, number>> = { rsa: 0, ed25519: 1, ec: 3 }

function encodingOfPem(text: string): Uint8Array {
  const label = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n[^-]*-----END \1-----/.exec(text)?.[1]
  if (label === undefined) throw new FileNetworkError(`PEM block not found in input data:\n${text}`)
  if (label !== 'PRIVATE KEY') {
    throw new FileNetworkError(`expected PRIVATE KEY type in PEM block but got: ${label}`)
  }
  let key
  try {
    key = createPrivateKey(text)
  } catch (error) {
    throw new FileNetworkError(`parsing PKCS8 format: ${errorText(error)}`)
  }
  const type = keyTypes[key.asymmetricKeyType ?? '']
  if (type === 1) {
    const { d = '', x = '' } = key.export({ format: 'jwk' })
    return message(type, Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]))
  }
  if (type === 0) return message(type, key.export({ type: 'pkcs1', format: 'der' }))
  if (type === 3) return message(type, key.export({ type: 'sec1', format: 'der' }))
  throw new FileNetworkError(`parsing PKCS8 format: unsupported key type ${key.asymmetricKeyType}`)
}

/** Encodes a protobuf of a type (field 1) and bytes (field 2). */
function message(type: number, data: Uint8Array): Uint8Array {
  const length: number[] = []
  let rest = data.length
  for (; rest >= 0x80; rest >>= 7) length.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Uint8Array.of(0x08, type, 0x12, ...length, rest), data])
}
