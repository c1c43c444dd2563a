import { TARGET, body, many, type Bomb } from './bomb.js'
import { withDag } from './dag.js'

/** Characters of bodies that are shorter than what counts as a large call. */
const BODY_LENGTH = 250_000
/** Bytes of blocks that are shorter than what is decoded in pieces. */
const BLOCK_LENGTH = 65_000

/** Repeats an item as often as fits. */
const items = (item: string): string => many(BODY_LENGTH / (item.length + 1), () => item).join(',')
const members = (): string => many(BODY_LENGTH / 10, (index) => `"${index.toString(36)}":1`).join(',')

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
  'dag/resolve?arg=CID/0',
  'dag/stat?arg=CID&progress=false',
  'refs?arg=CID&recursive=true',
  'pin/add?arg=CID',
  '/ipfs/CID?format=dag-json',
  '/ipfs/CID/',
]

/** Bombs that are as dense as possible, and shorter than what is always read in pieces. */
export const shortInputs: readonly Bomb[] = [
  ...Object.entries({
    '{}': '{}',
    1: '1',
    'messages with an id': '{"id":1}',
    calls: '{"id":1,"method":"a"}',
  }).map(([name, item]): Bomb => ({
    ...body(`a batch of 250 kB: ${name}`, () => `[${items(item)}]`),
    refusal: 'batch too large',
  })),
  {
    ...body(
      'a message of 25,000 members',
      () => `{"jsonrpc":"2.0","id":"\\u0041","method":"a",${members()}}`,
    ),
    refusal: 'the method a does not exist/is not available',
  },
  ...[
    ['eth_call: of 25,000 members', `{"to":"${TARGET}",${members()}},"latest"`],
    ['eth_callMany: empty calls', `[{"transactions":[${items('{}')}]}],{}`],
    ['eth_simulateV1: empty blocks', `{"blockStateCalls":[${items('{}')}]},"latest"`],
    ['eth_simulateV1: empty calls', `{"blockStateCalls":[{"calls":[${items('{}')}]}]},"latest"`],
    ['eth_getLogs: empty topics', `{"topics":[${items('[]')}]}`],
    ['eth_getLogs: a topic of nulls', `{"topics":[[${items('null')}]]}`],
    ['eth_feeHistory: percentiles', `"0x1","latest",[${items('1')}]`],
    [
      'debug_traceCall: a tracer configuration of empty objects',
      `{},"latest",{"tracer":"callTracer","tracerConfig":{"a":[${items('{}')}]}}`,
    ],
    [
      'debug_traceCall: a configuration for a program',
      `{},"latest",{"tracer":"{setup(c){},fault(){},result(){return 1}}","tracerConfig":{"a":[${items('{}')}]}}`,
    ],
    ['eth_createAccessList: empty entries', `{"to":"${TARGET}","accessList":[${items('{}')}]},"latest"`],
    ['eth_signTypedData_v4: types', `"${TARGET}",{"types":{"a":[${items('{}')}]}}`],
    ['eth_subscribe: empty topics', `"logs",{"topics":[${items('[]')}]}`],
    ['anvil_setBlockTimestampInterval: nested lists', `[${items('[]')}]`],
    ['hardhat_setStorageAt: nested lists', `[${items('[]')}]`],
    ['standin_settings: members', `{${members()}}`],
  ].map(([name = '', params = '']): Bomb =>
    body(name, () => {
      const [method] = name.split(':')
      return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":[${params}]}`
    }),
  ),
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
]
