import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { codecCode } from '../cid/cidFormat.js'
import { defineCommand, single } from '../request/command.js'

/** `key/list`: the one key there is, the node's own. */
export const keyList = defineCommand({
  description: 'List keys.',
  arguments: [],
  options: {
    l: { type: 'bool', description: 'For command lines.' },
    'ipns-base': { type: 'string', default: 'base36', description: 'Encoding of the ids: base36 or b58mh.' },
  },
  run({ options }, { identity }) {
    const multihash = Digest.decode(base58btc.decode(`z${identity.id}`))
    const cid = CID.createV1(codecCode.libp2pKey, multihash)
    const Id = options['ipns-base'] === 'b58mh' ? identity.id : cid.toString(base36)
    return single({ Keys: [{ Name: 'self', Id }] })
  },
})
