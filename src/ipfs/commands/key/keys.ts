import { LINES_AT_ONCE, inColumns, printable, printableWithPauses } from '../../request/textForm.js'
import { errorText } from '../../../encoding/errorText.js'
import { Portion } from '../../../encoding/sorting.js'
import { FileNetworkError } from '../../errors.js'
import { createKeyEncoder, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { type TextInput, defineCommand, pathArgument, pathArguments, single } from '../../request/command.js'

/** `key/gen`: generates a key pair for publishing names. */
export const keyGen = defineCommand({
  description: 'Create a key pair.',
  arguments: [pathArgument('name', 'Name of the key.')],
  options: {
    type: { type: 'string', aliases: ['t'], default: 'ed25519', description: 'Key type: ed25519 or rsa.' },
    size: {
      type: 'int',
      aliases: ['s'],
      description: 'Size of an RSA key in bits, 2048 to 8192. Default: 2048.',
    },
    'ipns-base': ipnsBaseOption,
  },
  text: ({ Id }: { Id: string }) => `${Id}\n`,
  async run({ args: [name = ''], options, signal }, { keystore }) {
    if (name === selfName) throw new FileNetworkError("cannot create key with name 'self'")
    const encodeKey = createKeyEncoder(options['ipns-base'])
    if ((await keystore.get(name)) !== undefined) {
      throw new FileNetworkError(`key with name '${name}' already exists`)
    }
    const key = await keystore.generate({ type: options.type, size: options.size, signal })
    await keystore.put(name, key)
    return single({ Name: name, Id: encodeKey(key.publicKey) })
  },
})

interface ListedKeys {
  Keys: { Name: string; Id: string }[]
}

const listOptions = {
  l: { type: 'bool', description: 'Also show ids, in text output.' },
  'ipns-base': ipnsBaseOption,
} as const

function* textOfKeys(
  { Keys }: ListedKeys,
  { options: { l: withId } }: TextInput<typeof listOptions>,
): Generator<string> {
  const lines: string[] = []
  const portion = new Portion(LINES_AT_ONCE)
  for (const { Name, Id } of Keys) {
    const name = yield* printableWithPauses(Name)
    lines.push(withId ? `${Id}\t${name}\t` : name)
    if (portion.add(name.length)) yield ''
  }
  yield* inColumns(lines, { leastWidth: 1 })
}

/** `key/ls`, formerly `key/list`: lists the node's own key, then the others by name. */
export const keyList = defineCommand({
  description: 'List key pairs.',
  arguments: [],
  options: listOptions,
  text: textOfKeys,
  async run({ options }, { keystore }) {
    const encodeKey = readKeyEncoder(options['ipns-base'])
    const { publicKey } = await keystore.self()
    const keys = [{ Name: selfName, Id: encodeKey(publicKey) }]
    for await (const { name, key } of keystore.list()) keys.push({ Name: name, Id: encodeKey(key.publicKey) })
    return single({ Keys: keys })
  },
})

/** `key/rename`: renames a key. */
export const keyRename = defineCommand({
  description: 'Rename a key pair.',
  arguments: [pathArgument('name', 'Key.'), pathArgument('newName', 'Its new name.')],
  options: {
    force: { type: 'bool', aliases: ['f'], description: 'Replace an existing key with the new name.' },
    'ipns-base': ipnsBaseOption,
  },
  text: ({ Id, Now, Overwrite }: { Id: string; Now: string; Overwrite: boolean }) =>
    `Key ${Id} renamed to ${printable(Now)}${Overwrite ? ' with overwriting' : ''}\n`,
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

/** `key/rm`: removes keys, up to the first that cannot be removed. */
export const keyRm = defineCommand({
  description: 'Remove key pairs.',
  arguments: [pathArguments('name', 'Keys.', 'missing')],
  options: listOptions,
  text: textOfKeys,
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

/** A list says what an unknown base is needed for (Kubo, `keystore.go`). */
function readKeyEncoder(base: string): ReturnType<typeof createKeyEncoder> {
  try {
    return createKeyEncoder(base)
  } catch (error) {
    throw new FileNetworkError(`cannot get key encoder: ${errorText(error)}`)
  }
}
