import type { PublicKey } from '@libp2p/interface'
import { readAll } from '../../blockSize.js'
import { IDENTITY_CODE } from '../../cid/cidFormat.js'
import { decodeMultibase, multibaseByName } from '../../cid/multibase.js'
import { FileNetworkError } from '../../errors.js'
import { signWith, verifyWith } from '../../names/keyObjects.js'
import { createKeyEncoder, ipnsBaseOption, parseName, selfName } from '../../names/keystore.js'
import type { NetworkContext } from '../../networkContext.js'
import { defineCommand, fileArgument, fileArgumentContent, valuesOf } from '../../request/command.js'
import type { Upload } from '../../request/upload.js'
import { goQuote } from '../../text/goQuote.js'

/** Prefix of the signed data, so that a signature cannot be used for anything else (Kubo, `coreapi/key.go`). */
const messagePrefix = Buffer.from('libp2p-key signed message:')
/** The most data that can be signed, with the prefix, in bytes. */
const DATA_LIMIT = 16 * 1024 * 1024

const dataArgument = fileArgument('data', 'Data.')
const keyOption = {
  type: 'string',
  aliases: ['k'],
  description: "Name of the key. Default: the node's own key.",
} as const

/** `key/sign`: signs data with a key. */
export const keySign = defineCommand({
  description: 'Sign data with a key.',
  arguments: [dataArgument],
  options: { key: keyOption, 'ipns-base': ipnsBaseOption },
  async run({ options, upload }, { keystore }) {
    const encodeKey = createKeyEncoder(options['ipns-base'])
    const message = await readMessage(upload)
    const Name = options.key || selfName
    const key = Name === selfName ? await keystore.self() : await keystore.get(Name)
    if (key === undefined) throw new FileNetworkError('no key by the given name was found')
    const signature = await signWith(key, message)
    return valuesOf({
      Key: { Name, Id: encodeKey(key.publicKey) },
      Signature: multibaseByName('base64url').encode(signature),
    })
  },
})

/** `key/verify`: verifies a signature over data. The key may also be given by its peer ID or IPNS name. */
export const keyVerify = defineCommand({
  description: 'Verify a signature.',
  arguments: [dataArgument],
  options: {
    key: keyOption,
    signature: { type: 'string', aliases: ['s'], description: 'Signature, in multibase.' },
    'ipns-base': ipnsBaseOption,
  },
  async run({ options, upload }, network) {
    const encodeKey = createKeyEncoder(options['ipns-base'])
    const signature = decodeMultibase(options.signature ?? '')
    const message = await readMessage(upload)
    const { name, publicKey } = await findKey(network, options.key || selfName)
    const isValid = await verifyWith(publicKey, message, signature)
    if (!isValid && publicKey.type === 'RSA') throw new FileNetworkError('crypto/rsa: verification error')
    return valuesOf({ Key: { Name: name, Id: encodeKey(publicKey) }, SignatureValid: isValid })
  },
})

function readMessage(upload: Upload): Promise<Uint8Array> {
  return readAll(prefixed(fileArgumentContent(upload)), DATA_LIMIT)
}

async function* prefixed(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield messagePrefix
  yield* content
}

async function findKey(
  { keystore }: Pick<NetworkContext, 'keystore'>,
  nameOrId: string,
): Promise<{ name: string; publicKey: PublicKey }> {
  if (nameOrId === selfName) return { name: selfName, publicKey: (await keystore.self()).publicKey }
  const stored = await keystore.get(nameOrId)
  if (stored !== undefined) return { name: nameOrId, publicKey: stored.publicKey }
  const name = parseName(nameOrId)
  if (name === undefined) {
    throw new FileNetworkError(`'${goQuote(nameOrId)}' is not a known key, an IPNS Name, or a valid PeerID`)
  }
  if (name.multihash.code !== IDENTITY_CODE) {
    throw new FileNetworkError('public key is not embedded in peer ID')
  }
  const { publicKeyFromProtobuf } = await import('@libp2p/crypto/keys')
  return { name: '', publicKey: publicKeyFromProtobuf(name.multihash.digest) }
}
