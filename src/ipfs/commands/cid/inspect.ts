import { CID } from 'multiformats/cid'
import { codecCode, hashNameByCode, sha256Code } from '../../cid/cidFormat.js'
import { multibaseByName } from '../../cid/multibase.js'
import { parseCid } from '../../cid/parseCid.js'
import { codecName } from '../../dag/codecs.js'
import { errorText } from '../../errors.js'
import { formatName, parseName } from '../../names/keystore.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import { baseNameOf } from './format.js'

/** `cid/inspect`: what a CID is made of. A text that is none gets an answer with why. */
export const cidInspect = defineCommand({
  description: 'Show the parts of a CID.',
  arguments: [pathArgument('cid', 'The CID.')],
  options: {},
  run({ args: [text = ''] }) {
    try {
      return single({ cid: text, ...describe(text, parseCid(text)) })
    } catch (error) {
      return single({ cid: text, ...empty, errorMsg: `invalid CID: ${errorText(error)}${hint(text)}` })
    }
  },
})

const empty = {
  version: 0,
  multibase: { prefix: '', name: '' },
  multicodec: { code: 0, name: '' },
  multihash: { code: 0, name: '', length: 0, digest: '' },
  cidV1: '',
}

function describe(text: string, cid: CID): object {
  const { code, digest, size } = cid.multihash
  const { prefix, name } = multibaseByName(cid.version === 0 ? 'base58btc' : baseNameOf(text))
  const hasVersion0 = cid.code === codecCode.dagPb && code === sha256Code && size === 32
  return {
    version: cid.version,
    multibase: { prefix, name },
    multicodec: { code: cid.code, name: codecName(cid.code) ?? 'unknown' },
    multihash: {
      code,
      name: hashNameByCode(code) ?? 'unknown',
      length: size,
      digest: Buffer.from(digest).toString('hex'),
    },
    ...(hasVersion0 && {
      cidV0: CID.createV0(cid.multihash as Parameters<typeof CID.createV0>[0]).toString(),
    }),
    cidV1: cid.toV1().toString(),
  }
}

/** A peer id is no CID, but there is one for it. */
function hint(text: string): string {
  const name = parseName(text)
  if (name === undefined) return ''
  return `\nNote: the value is a PeerID; inspect its CID representation instead:\n  ${formatName(name)}`
}
