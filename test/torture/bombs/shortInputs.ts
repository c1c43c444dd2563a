import { TARGET, body, many, type Bomb } from './bomb.js'
import { withDag } from './dag.js'

/** Characters of a body, fewer than those of a large call. */
const BODY_LENGTH = 250_000
/** Bytes of a block. A list of dag-cbor with a length of two bytes has no more entries. */
const BLOCK_LENGTH = 65_000

/** Repeats an item as often as fits. */
const items = (item: string, length = BODY_LENGTH): string =>
  many(length / (item.length + 1), () => item).join(',')
const members = (): string => many(BODY_LENGTH / 11, (index) => `"k${index.toString(36)}":1`).join(',')

/** Encodes a list of dag-cbor that repeats an item, a few bytes in hexadecimal, as often as fits. */
function cborList(item: string): Buffer {
  const bytes = Buffer.from(item, 'hex')
  const count = Math.floor(BLOCK_LENGTH / bytes.length)
  const head = Buffer.from(`99${count.toString(16).padStart(4, '0')}`, 'hex')
  return Buffer.concat([head, Buffer.alloc(count * bytes.length, bytes)])
}

/** Encodes a map of dag-cbor with as many names of three characters as fit. */
function cborMap(): Buffer {
  const names = many(BLOCK_LENGTH / 5, (index) => index.toString(36).padStart(3, '0')).sort()
  const head = Buffer.from(`b9${names.length.toString(16).padStart(4, '0')}`, 'hex')
  return Buffer.concat([head, ...names.map((name) => Buffer.from(`\x63${name}\x00`, 'latin1'))])
}

const blocks: Readonly<Record<string, () => Buffer>> = {
  'empty maps': () => cborList('a0'),
  'empty lists': () => cborList('80'),
  'empty texts': () => cborList('60'),
  'empty bytes': () => cborList('40'),
  'texts of quotes': () => cborList('6122'),
  numbers: () => cborList('00'),
  floats: () => cborList('fb3ff199999999999a'),
  'large integers': () => cborList('1bffffffffffffffff'),
  'inline links': () => cborList('d82a450001550000'),
  names: cborMap,
}

const readings = [
  'dag/get?arg=CID',
  'dag/get?arg=CID&output-codec=dag-cbor',
  'dag/resolve?arg=CID',
  'dag/stat?arg=CID&progress=false',
  'refs?arg=CID&recursive=true',
  'pin/add?arg=CID',
  '/ipfs/CID/',
]

/** Encodes a dag-pb node of as many links without name and size as fit. */
const shortLinks = (): Buffer => Buffer.alloc(BLOCK_LENGTH, Buffer.from('12060a0401550000', 'hex'))

/** Calls by name, with their parameters and the expected refusal. */
const calls: readonly (readonly [name: string, params: () => string, refusal?: string])[] = [
  ['eth_call: of 22,000 members', () => `{"to":"${TARGET}",${members()}},"latest"`],
  ['eth_callMany: empty calls', () => `[{"transactions":[${items('{}')}]}],{}`],
  ['eth_simulateV1: empty blocks', () => `{"blockStateCalls":[${items('{}')}]},"latest"`, 'too many blocks'],
  [
    'eth_simulateV1: empty calls',
    () => `{"blockStateCalls":[{"calls":[${items('{}')}]}]},"latest"`,
    'too many calls in block',
  ],
  ['eth_getLogs: empty topics', () => `{"topics":[${items('[]')}]}`, 'exceed max topics'],
  ['eth_getLogs: a topic of nulls', () => `{"topics":[[${items('null')}]]}`],
  ['eth_feeHistory: percentiles', () => `"0x1","latest",[${items('1')}]`, 'over the query limit 100'],
  [
    'debug_traceCall: a configuration of empty objects',
    () => `{},"latest",{"tracer":"callTracer","tracerConfig":{"a":[${items('{}', 4e4)}]}}`,
    'tracerConfig is larger than ',
  ],
  [
    'debug_traceCall: a configuration for a program',
    () =>
      `{},"latest",{"tracer":"{fault(){},result(){return 1}}","tracerConfig":{"a":[${items('{}', 4e4)}]}}`,
    'tracerConfig is larger than ',
  ],
  [
    'eth_createAccessList: entries without keys',
    () => `{"to":"${TARGET}","accessList":[${items(`{"address":"${TARGET}","storageKeys":[]}`)}]},"latest"`,
  ],
]

/** Bombs of moderate length with as many values as fit: a limit in bytes on what one step reads must consider them. */
export const shortInputs: readonly Bomb[] = [
  ...['{}', '1', '{"id":1}', '{"id":1,"method":"a"}'].map((item): Bomb => ({
    ...body(`a batch of 250 kB of ${item}`, () => `[${items(item)}]`),
    refusal: 'batch too large',
  })),
  {
    ...body(
      'a message of 22,000 members',
      () => `{"jsonrpc":"2.0","id":"\\u0041","method":"none",${members()}}`,
    ),
    refusal: 'The method none does not exist',
  },
  ...calls.map(([name, params, refusal]): Bomb => {
    const [method] = name.split(':')
    const make = () => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params()}]}`
    return { ...body(name, make), refusal }
  }),
  ...Object.entries(blocks).flatMap(([name, make]) =>
    withDag(
      `65 kB of ${name}`,
      {
        path: 'dag/put?input-codec=dag-cbor&store-codec=dag-cbor&pin=false',
        body: make,
        cidOf: (answer) => (JSON.parse(answer) as { Cid: { '/': string } }).Cid['/'],
      },
      readings,
    ),
  ),
  ...withDag(
    '65 kB of short links',
    {
      path: 'block/put?cid-codec=dag-pb',
      body: shortLinks,
      cidOf: (answer) => (JSON.parse(answer) as { Key: string }).Key,
    },
    readings.filter((reading) => !reading.startsWith('/')),
  ),
]
