import type { Random } from '../support/random.js'

/** Replaces one value inside a value by one that is almost valid. */
export function nearMiss(random: Random, value: unknown): unknown {
  const descends =
    random.chance(0.75) && typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!descends) return almostValid(random, value)
  const key = random.pick(Object.keys(value))
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (String(index) === key ? nearMiss(random, item) : item))
  }
  const entries = Object.entries(value).flatMap(([name, item]): [string, unknown][] => {
    if (name !== key) return [[name, item]]
    if (random.chance(0.88)) return [[name, nearMiss(random, item)]]
    const renamed: [string, unknown] = [otherSpelling(random, name), item]
    return random.chance(0.25) ? [renamed, [name, item]] : [renamed]
  })
  return Object.fromEntries(entries)
}

function almostValid(random: Random, value: unknown): unknown {
  if (typeof value === 'string') return random.pick(textForms(random, value))
  if (typeof value === 'number') {
    return random.pick<unknown>([
      String(value),
      `0x${value.toString(16)}`,
      value + 0.5,
      -value,
      [value],
      null,
      1e21,
    ])
  }
  if (typeof value === 'boolean')
    return random.pick<unknown>([String(value), 1, 0, null, 'True', [value], ''])
  if (Array.isArray(value)) {
    const items = value as unknown[]
    return random.pick<unknown>([
      [],
      [...items, null],
      [...items, ...items],
      items[0] ?? null,
      [items],
      { ...items },
      items.toReversed(),
      [null, ...items],
      '',
      '[]',
    ])
  }
  if (typeof value === 'object' && value !== null) return changedObject(random, value)
  return random.pick<unknown>([[], {}, '', 'null', 0, false])
}

function changedObject(random: Random, value: object): unknown {
  const entries = Object.entries(value) as [string, unknown][]
  const without = entries.filter((_, index) => index !== entries.length - 1)
  return random.pick<unknown>([
    Object.fromEntries(without),
    { ...value, unknown: '0x1' },
    { ...value, [random.pick(memberNames)]: random.pick(['0x1', '0x', null, [], {}, true, 'latest']) },
    { ...value, [random.pick(memberNames)]: random.pick(['0x0', `0x${'1'.repeat(40)}`, [[]], 1]) },
    entries,
    [value],
    {},
    '',
    null,
  ])
}

/** Members of transactions, filters, overrides and configurations. */
const memberNames = [
  ...['from', 'to', 'gas', 'gasPrice', 'value', 'nonce', 'data', 'input', 'type', 'chainId', 'accessList'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas', 'blobVersionedHashes', 'authorizationList'],
  ...['address', 'topics', 'fromBlock', 'toBlock', 'blockHash', 'blockNumber', 'requireCanonical'],
  ...['balance', 'code', 'state', 'stateDiff', 'movePrecompileToAddress', 'storage', 'validation'],
  ...[
    'number',
    'time',
    'gasLimit',
    'feeRecipient',
    'baseFeePerGas',
    'blobBaseFee',
    'prevRandao',
    'withdrawals',
  ],
  ...['tracer', 'tracerConfig', 'timeout', 'reexec', 'stateOverrides', 'blockOverrides', 'txIndex', 'limit'],
  ...['enableMemory', 'disableStack', 'disableStorage', 'enableReturnData', 'debug', 'overrides', 'gasLimit'],
]

function otherSpelling(random: Random, name: string): string {
  return random.pick([
    name.toUpperCase(),
    name.toLowerCase(),
    ` ${name}`,
    `${name}s`,
    name.replace(/^./, (c) => c.toUpperCase()),
  ])
}

function textForms(random: Random, text: string): unknown[] {
  const general = [
    '',
    ` ${text}`,
    `${text} `,
    null,
    [text],
    { text },
    text.toUpperCase(),
    text.slice(0, -1),
    `${text}x`,
  ]
  if (!text.startsWith('0x')) return [...general, text.toLowerCase(), `0x${text}`, 0]
  const digits = text.slice(2)
  const number = /^[0-9a-f]{1,13}$/i.test(digits) ? Number(text) : 1
  return [
    ...general,
    `0X${digits}`,
    `0x${digits.toUpperCase()}`,
    digits,
    `0x0${digits}`,
    `0x00${digits}`,
    `0x${digits}00`,
    `0x${digits}0`,
    `-0x${digits}`,
    `0x-${digits}`,
    `0x${digits}g`,
    `0x ${digits}`,
    `0x${digits.slice(1)}`,
    `0x${digits.replace(/^0+/, '')}`,
    `0x${digits.padStart(64, '0')}`,
    `0x${digits.padEnd(64, '0')}`,
    `0x${digits.slice(0, 40)}`,
    number,
    -number,
    String(number),
    BigInt(`0x${/^[0-9a-f]+$/i.test(digits) ? digits : '0'}`).toString(),
    random.pick(['latest', 'pending', 'safe', 'finalized', 'earliest', 'Latest', '0x']),
  ]
}

/** Rewrites the text of a request in a spelling that JSON allows, or almost allows. */
export function respelled(random: Random, text: string): string {
  return random.pick([
    () => text.replace(/"0x/, '"\\u0030x'),
    () =>
      text.replace(
        /"([a-zA-Z])([a-zA-Z]*)":/g,
        (_, first: string, rest: string) => `"${escaped(first)}${rest}":`,
      ),
    () => text.replace(/[{},:[\]]/g, (mark) => ` ${mark}\n\t`),
    () => text.replace(/:(\d+)([,}\]])/g, (_, digits: string, end: string) => `:${digits}e0${end}`),
    () =>
      text.replace(
        /([[,])(\d+)([,\]])/g,
        (_, start: string, digits: string, end: string) => `${start}${digits}.0${end}`,
      ),
    () =>
      text.replace(
        '"id":1',
        `"id":${random.pick(['1e2', '1.0', '12345678901234567890', '-1', '0', '1E400', '"\\u0041"', '"<>&"', '"\\u2028"', '1.50'])}`,
      ),
    () => text.replace(/"(\w+)":("0x[0-9a-f]*"|true|false)/, '"$1":$2,"$1":$2'),
    () => text.replace(/"(\w+)":("0x[0-9a-f]*"|true|false)/, '"$1":null,"$1":$2'),
    () => text.replace('"params":', '"params":[],"params":'),
    () => text.replace('"method":', '"method":"eth_chainId","method":'),
    () => text.replace(/"0x([0-9a-f])/, '"0x\\u003$1'),
    () => text.replace(/\}$/, ',"params":null}'),
    () => text.replace(/"0x/, '"\u00000x'),
    () => text.replace(/"0x/, '"\\ud8000x'),
    () => text.replace(/"0x/, '"\\/0x'),
    () => text.replace(/"0x/, "'0x"),
    () => text.replace('[', '[,'),
    () => text.replace(/\]/, ',]'),
    () => text.replace('"jsonrpc"', '/**/"jsonrpc"'),
  ])()
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
