import { CID } from 'multiformats/cid'
import { codecCode, hashNameByCode, SHA256_CODE } from '../../cid/cidFormat.js'
import { multibaseByName } from '../../cid/multibase.js'
import { exactCodec, parseCid } from '../../cid/parseCid.js'
import { codecName } from '../../dag/codecs.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError } from '../../errors.js'
import { formatName, parseName } from '../../names/keystore.js'
import { defineCommand, pathArgument, single } from '../../request/command.js'
import { type ExactInteger, exactInteger } from '../../text/exactInteger.js'
import { baseNameOf } from './format.js'

/** `cid/inspect`: shows the parts of a CID. An invalid one gets an answer with the error. */
export const cidInspect = defineCommand({
  description: 'Show the parts of a CID.',
  arguments: [pathArgument('cid', 'CID.', 'missing')],
  options: {},
  text: textOf,
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
  const hasVersion0 = cid.code === codecCode.dagPb && code === SHA256_CODE && size === 32
  return {
    version: cid.version,
    multibase: { prefix, name },
    multicodec: { code: exactInteger(exactCodec(cid)), name: codecName(cid.code) ?? 'unknown' },
    multihash: {
      code,
      name: hashNameByCode(code) ?? 'unknown',
      length: size,
      digest: Buffer.from(digest).toString('hex'),
    },
    ...(hasVersion0 && {
      cidV0: CID.createV0(cid.multihash as Parameters<typeof CID.createV0>[0]).toString(),
    }),
    cidV1: cid.code === codecCode.libp2pKey ? formatName(cid) : cid.toV1().toString(),
  }
}

/** Returns the note for a peer ID, which is not a CID but can be written as one. */
function hint(text: string): string {
  const name = parseName(text)
  if (name === undefined) return ''
  return `\nNote: the value is a PeerID; inspect its CID representation instead:\n  ${formatName(name)}`
}

/** The answer of `cid/inspect`. */
interface Inspection {
  cid: string
  version: number
  multibase: { prefix: string; name: string }
  multicodec: { code: number | ExactInteger; name: string }
  multihash: { code: number; name: string; length: number; digest: string }
  cidV0?: string
  cidV1: string
  errorMsg?: string
}

function textOf({
  cid,
  version,
  multibase,
  multicodec,
  multihash,
  cidV0,
  cidV1,
  errorMsg,
}: Inspection): string {
  if (errorMsg !== undefined) throw new FileNetworkError(errorMsg)
  const implicit = version === 0 ? ', implicit' : ''
  const coded = ({ name, code }: Inspection['multicodec']): string =>
    `${name} (0x${BigInt(code.toString()).toString(16)}`
  const reason =
    multicodec.code !== codecCode.dagPb
      ? `requires dag-pb (0x70), got ${coded(multicodec)})`
      : multihash.code !== SHA256_CODE
        ? `requires sha2-256 (0x12), got ${coded(multihash)})`
        : `requires 32-byte digest, got ${multihash.length}`
  const lines = [
    `CID:        ${cid}`,
    `Version:    ${version}`,
    `Multibase:  ${multibase.name} (${version === 0 ? 'implicit' : multibase.prefix})`,
    `Multicodec: ${coded(multicodec)}${implicit})`,
    `Multihash:  ${coded(multihash)}${implicit})`,
    `  Length:   ${multihash.length} bytes`,
    `  Digest:   ${multihash.digest}`,
    `CIDv0:      ${cidV0 ?? `not possible, ${reason}`}`,
    `CIDv1:      ${cidV1}`,
  ]
  return `${lines.join('\n')}\n`
}
