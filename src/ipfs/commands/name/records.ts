import type { CID } from 'multiformats/cid'
import { inColumns } from '../../request/textForm.js'
import { errorText } from '../../../encoding/errorText.js'
import { FileNetworkError, withPrefix } from '../../errors.js'
import { formatName, parseName, peerIdText, readPeerId } from '../../names/keystore.js'
import { checkRecord, MAX_RECORD_LENGTH, readRecord } from '../../names/nameSystem.js'
import {
  defineCommand,
  fileArgument,
  pathArgument,
  readFileArgument,
  single,
  valuesOf,
} from '../../request/command.js'
import { needsOnlineMode } from '../offline.js'
import { goQuote } from '../../text/goQuote.js'
import { trimEnd } from '../../text/trim.js'

/** The longest file read as a record, in bytes. It holds even with `force`, where Kubo has no limit. */
const FILE_LIMIT = 1024 * 1024

/** `name/inspect`: decodes an IPNS record, and optionally verifies it against a name. */
export const nameInspect = defineCommand({
  description: 'Inspect an IPNS record.',
  arguments: [fileArgument('record', 'IPNS record.')],
  options: {
    verify: { type: 'string', description: 'Name to validate the record against.' },
    dump: { type: 'bool', default: true, description: 'Also send a hex dump of the record.' },
  },
  text: textOf,
  async run({ options, upload }) {
    const bytes = await readFileArgument(upload, FILE_LIMIT)
    if (bytes.length > MAX_RECORD_LENGTH) throw new FileNetworkError('record exceeds allowed size limit')
    const { value, validity, sequence, ttl, isSignedTwice } = await readRecord(bytes)
    const name = options.verify === undefined ? undefined : readPeerId(options.verify)
    const Reason = name && (await checkRecord(name, bytes))
    return single({
      Entry: {
        Value: value,
        ValidityType: 0,
        Validity: withoutTrailingZeros(validity),
        Sequence: Number(sequence),
        ...(ttl !== undefined && { TTL: Number(ttl) }),
      },
      PbSize: bytes.length,
      SignatureType: isSignedTwice ? 'V1+V2' : 'V2',
      HexDump: options.dump ? hexDump(bytes) : '',
      Validation: name === undefined ? null : { Valid: Reason === '', Reason, Name: formatName(name) },
    })
  },
})

/** The answer of `name/inspect`. */
interface Inspection {
  Entry: { Value: string; ValidityType: number; Validity: string; Sequence: number; TTL?: number }
  PbSize: number
  SignatureType: string
  HexDump: string
  Validation: { Valid: boolean; Reason: string; Name: string } | null
}

function* textOf({ Entry, PbSize, SignatureType, HexDump, Validation }: Inspection): Generator<string> {
  const { Value, ValidityType, Validity, Sequence, TTL } = Entry
  yield* inColumns([
    ...(Value === '' ? [] : [`Value:\t${goQuote(Value)}`]),
    `Validity Type:\t${ValidityType}`,
    `Validity:\t${goQuote(Validity)}`,
    `Sequence:\t${Sequence}`,
    ...(TTL === undefined ? [] : [`TTL:\t${goDuration(TTL)}`]),
    `Protobuf Size:\t${PbSize}`,
    `Signature Type:\t${SignatureType}`,
  ])
  if (Validation === null) yield "\nThis record was not verified. Pass '--verify k51...' to verify.\n"
  else {
    const { Valid, Reason, Name } = Validation
    const rows = [
      `\tValid:\t${Valid}`,
      ...(Reason === '' ? [] : [`\tReason:\t${Reason}`]),
      `\tName:\t${Name}`,
    ]
    yield '\nValidation results:\n'
    yield* inColumns(rows)
  }
  if (HexDump !== '') yield `\nHex Dump:\n${HexDump}`
}

/** Formats nanoseconds like Go's durations of a second or more, such as `1h0m0s`. */
function goDuration(nanoseconds: number): string {
  const seconds = nanoseconds / 1e9
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const front = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : ''
  return `${front}${seconds % 60}s`
}

/** Formats bytes like `hexdump -C` (Go, `hex.Dump`). */
function hexDump(bytes: Uint8Array): string {
  let dump = ''
  for (let start = 0; start < bytes.length; start += 16) {
    const row = Buffer.from(bytes.subarray(start, start + 16))
    const digits = [...row].map((byte) => byte.toString(16).padStart(2, '0'))
    const halves = `${digits.slice(0, 8).join(' ').padEnd(23)}  ${digits.slice(8).join(' ').padEnd(23)}`
    const text = row.toString('latin1').replace(/[^ -~]/g, '.')
    dump += `${start.toString(16).padStart(8, '0')}  ${halves}  |${text}|\n`
  }
  return dump
}

/** `name/put`: stores a signed record, as a peer would. */
export const namePut = defineCommand({
  description: 'Store an IPNS record.',
  arguments: [pathArgument('name', 'IPNS name.'), fileArgument('record', 'IPNS record.')],
  options: {
    force: { type: 'bool', aliases: ['f'], description: 'Do not check the record first.' },
    'allow-offline': { type: 'bool', description: 'Store it without peers; required on this node.' },
    'allow-delegated': { type: 'bool', description: 'Refused: there are no delegated publishers.' },
    quiet: { type: 'bool', aliases: ['q'], description: 'Text output only.' },
  },
  text: ({ Name }: { Name: string }, { options }) => (options.quiet ? '' : `${Name}\n`),
  async run({ args: [text = ''], options, upload, offline }, { names }) {
    const {
      'allow-offline': isAllowed = false,
      'allow-delegated': delegated = false,
      force = false,
    } = options
    if (isAllowed && delegated) {
      throw new FileNetworkError('cannot use both --allow-offline and --allow-delegated flags')
    }
    if (delegated) {
      throw new FileNetworkError(
        'no delegated publishers configured: add Ipns.DelegatedPublishers or use --allow-offline for local-only publishing',
      )
    }
    const name = withPrefix('invalid IPNS name: ', () => readPeerId(text))
    const bytes = await readFileArgument(upload, FILE_LIMIT)
    if (bytes.length === 0) throw new FileNetworkError('record is empty')
    if (bytes.length > MAX_RECORD_LENGTH && !force) {
      throw new FileNetworkError(
        `record exceeds maximum size of ${MAX_RECORD_LENGTH} bytes, use --force to skip size check`,
      )
    }
    let value = ''
    try {
      value = (await readRecord(bytes)).value
    } catch (error) {
      if (!force) throw new FileNetworkError(`invalid IPNS record: ${errorText(error)}`)
    }
    const problem = force ? '' : await checkRecord(name, bytes)
    if (problem !== '') throw new FileNetworkError(`record validation failed: ${problem}`)
    if (!isAllowed) throw new FileNetworkError(needsOnlineMode)
    if (offline === true) await checkStorable(name, bytes)
    await names.put(name, bytes)
    return single({ Name: formatName(name), Value: value })
  },
})

/** `routing/put`: stores a record under a key `/ipns/<name>`. */
export const routingPut = defineCommand({
  description: 'Store a record under a routing key.',
  arguments: [pathArgument('key', 'Key, `/ipns/<name>`.'), fileArgument('value-file', 'IPNS record.')],
  options: {
    'allow-offline': { type: 'bool', description: 'Store it without peers; required on this node.' },
  },
  async run({ args: [key = ''], options, upload, offline }, { names }) {
    const bytes = await readFileArgument(upload, FILE_LIMIT)
    const name = parseName(key.replace(/^\/ipns\//, '')) ?? readPeerId(key)
    if (!options['allow-offline']) {
      throw new FileNetworkError("can't put while offline: pass `--allow-offline` to override")
    }
    if (!key.startsWith('/ipns/')) throw new FileNetworkError('invalid key')
    if (offline === true) await checkStorable(name, bytes)
    await names.put(name, bytes)
    return valuesOf({ ID: peerIdText(name), Type: 5, Responses: null, Extra: '' })
  },
})

/**
 * Checks a record as Kubo does with the `offline` option. Without it, Kubo hands the record to routing systems, which
 * ignore an invalid one.
 *
 * @throws {@link FileNetworkError} with boxo's reason (`routing/offline`)
 */
async function checkStorable(name: CID, bytes: Uint8Array): Promise<void> {
  await readRecord(bytes)
  const problem = await checkRecord(name, bytes)
  if (problem !== '') throw new FileNetworkError(problem)
}

/** Strips trailing zeros from the fraction of a time (Go, `time.RFC3339Nano`). */
function withoutTrailingZeros(time: string): string {
  const [fraction, written = ''] = /\.(\d*)Z$/.exec(time) ?? []
  if (fraction === undefined) return time
  const digits = trimEnd(written, '0')
  return `${time.slice(0, -fraction.length)}${digits === '' ? '' : `.${digits}`}Z`
}
