import { file, many, type Bomb } from './bomb.js'

/** Encodes a list of dag-cbor below a thousand lists of one item. */
const deepList = (): Buffer =>
  Buffer.concat([Buffer.alloc(1000, 0x81), Buffer.from('9a0003d090', 'hex'), Buffer.alloc(250_000, 1)])

/** Encodes a head of CBOR with a length of four bytes. */
function head(first: number, length: number): Buffer {
  const bytes = Buffer.from([first, 0, 0, 0, 0])
  bytes.writeUInt32BE(length, 1)
  return bytes
}

/** Encodes text of dag-cbor in which every other byte is not UTF-8. */
const mixedText = (length: number): Buffer =>
  Buffer.concat([head(0x7a, length), Buffer.alloc(length, Buffer.from('61ff', 'hex'))])

/** Encodes a map of dag-cbor with names of four characters. */
const wideMap = (count: number): Buffer =>
  Buffer.concat([
    head(0xba, count),
    ...many(count, (i) => Buffer.from(`\x64${i.toString(36).padStart(4, '0')}\x01`, 'latin1')),
  ])

/** Encodes a signed JOSE object. */
const signed = (payload: Buffer, signatures: number): Buffer =>
  Buffer.concat([
    Buffer.from('a2677061796c6f6164', 'hex'),
    head(0x5a, payload.length),
    payload,
    Buffer.from('6a7369676e617475726573', 'hex'),
    head(0x9a, signatures),
    Buffer.alloc(signatures, 0xa0),
  ])

const LARGE = 2_000_000

/** Bombs of data that is slow to decode or encode. */
export const codecs: readonly Bomb[] = [
  {
    ...file(
      'dag/put: 250,000 numbers below a thousand lists to json',
      () => 'dag/put?input-codec=dag-cbor&store-codec=json',
      deepList,
    ),
    refusal: 'JSON of more than 67108864 characters',
  },
  ...['dag-cbor', 'dag-json', 'json'].map((codec) =>
    file(
      `dag/put: text with bytes that are not UTF-8 to ${codec}`,
      () => `dag/put?input-codec=dag-cbor&store-codec=${codec}&allow-big-block=true`,
      () => mixedText(LARGE),
    ),
  ),
  ...['dag-cbor', 'dag-json', 'json'].map((codec) =>
    file(
      `dag/put: text of control characters to ${codec}`,
      () => `dag/put?input-codec=dag-cbor&store-codec=${codec}&allow-big-block=true`,
      () => Buffer.concat([head(0x7a, LARGE), Buffer.alloc(LARGE, 1)]),
    ),
  ),
  file(
    'dag/put: Base64 with 690,000 line breaks',
    () => 'dag/put?allow-big-block=true',
    () => Buffer.from(`{"/":{"bytes":"${'A\\n'.repeat(690_000)}"}}`),
  ),
  ...Object.entries({ text: 0x7a, bytes: 0x5a }).map(([name, first]): Bomb => ({
    ...file(
      `dag/put: ${name} in parts of thirty megabytes`,
      () => 'dag/put?input-codec=dag-cbor',
      () => {
        const part = Buffer.concat([head(first, 3e7), Buffer.alloc(3e7, 0x61)])
        return Buffer.concat([Buffer.from([first | 0x1f]), part, part, Buffer.from([0xff])])
      },
    ),
    refusal: 'demanded too many resources',
  })),
  {
    ...file(
      'dag/put: text of nine megabytes of accented characters',
      () => 'dag/put?input-codec=dag-cbor',
      () => Buffer.concat([head(0x7a, 9e6), Buffer.alloc(9e6, 'é')]),
    ),
    refusal: 'a string of more than 2097152 bytes',
  },
  {
    ...file(
      'dag/put: seven hundred thousand names',
      () => 'dag/put?input-codec=dag-cbor&allow-big-block=true',
      () => wideMap(700_000),
    ),
    refusal: 'a map of more than 131072 entries',
  },
  ...['dag-cbor', 'dag-json', 'json'].map((codec) =>
    file(
      `dag/put: 130,000 names to ${codec}`,
      () => `dag/put?input-codec=dag-cbor&store-codec=${codec}&allow-big-block=true`,
      () => wideMap(130_000),
    ),
  ),
  {
    ...file(
      'dag/put: a JOSE object of 600,000 signatures',
      () => 'dag/put?input-codec=dag-jose',
      () => signed(Buffer.from('01550000', 'hex'), 600_000),
    ),
    refusal: 'a JOSE object with too much data',
  },
  {
    ...file(
      'dag/put: a JOSE object with a payload of 20,000 base58 digits',
      () => 'dag/put?input-codec=dag-jose',
      () => signed(Buffer.from(`"ipfs://z${'x'.repeat(20_000)}"`), 1),
    ),
    refusal: 'a JOSE object with a payload of more than 4096 bytes',
  },
]
