import { createKeyEncoder, ipnsBaseOption, selfName } from '../../names/keystore.js'
import { defineCommand, single } from '../../request/command.js'

/** `key/ls`, formerly `key/list`: the node's own key first, the others by name. */
export const keyList = defineCommand({
  description: 'List key pairs.',
  arguments: [],
  options: {
    l: { type: 'bool', description: 'For command lines.' },
    'ipns-base': ipnsBaseOption,
  },
  async run({ options }, { keystore }) {
    const encodeKey = createKeyEncoder(options['ipns-base'])
    const keys = [{ name: selfName, key: await keystore.self() }, ...(await keystore.list())]
    return single({ Keys: keys.map(({ name, key }) => ({ Name: name, Id: encodeKey(key.publicKey) })) })
  },
})
