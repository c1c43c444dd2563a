/** The subset of JSON Schema that values are generated from. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  oneOf?: Schema[]
  anyOf?: Schema[]
  items?: Schema | boolean
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  pattern?: string
}

export type Random = () => number

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T
}

/** Makes random digits, which recur in a value as long as a blob. */
function hex(random: Random, digits: number): string {
  const period = Array.from({ length: Math.min(digits, 999) }, () =>
    Math.floor(random() * 16).toString(16),
  ).join('')
  return `0x${period.repeat(Math.ceil(digits / 999)).slice(0, digits)}`
}

/** Values that programs often mishandle. */
const awkward: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    ' ',
    '0x',
    '0x0',
    '0x00',
    '0x1',
    '0xg',
    '-0x1',
    '0X1',
  ],
  ...[
    'latest',
    'pending',
    'earliest',
    'safe',
    'finalized',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '💥',
  ],
  ...[
    [],
    {},
    [[]],
    [null],
    { '': null },
    JSON.parse('{"__proto__":{"a":1}}'),
    '0x' + 'f'.repeat(64),
    '0x1' + '0'.repeat(64),
  ],
  ...['f'.repeat(5000), `0x${'00'.repeat(3000)}`, Array.from({ length: 300 }, () => null)],
]

/** A small set of accounts, so that requests find the state that others have left. */
const addresses = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x00000000000000000000000000000000000b0b0b',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000000c',
]

function text(random: Random, pattern: string | undefined): string {
  const length = /\{(\d+)\}/.exec(pattern ?? '')?.[1]
  const digits = length === undefined ? Math.floor(random() * 12) : Number(length)
  if (digits === 40 && random() < 0.8) return pick(random, addresses)
  if (random() < 0.2) return pick(random, ['latest', 'pending', 'earliest', '0x1', '0x0', '0x2faf080'])
  return hex(random, digits)
}

/** Makes a value that mostly, but not always, follows a schema. */
export function valueOf(random: Random, schema: Schema | boolean | undefined, depth = 0): unknown {
  if (random() < 0.06 || depth > 8) return pick(random, awkward)
  if (typeof schema !== 'object') return pick(random, awkward)
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) return valueOf(random, pick(random, choices), depth + 1)
  if (schema.enum !== undefined) return pick(random, schema.enum)
  if ('const' in schema) return schema.const
  const type = Array.isArray(schema.type) ? pick(random, schema.type) : schema.type
  if (type === 'boolean') return random() < 0.5
  if (type === 'integer') return Math.floor(random() * 100)
  if (type === 'number') return random() * 100
  if (type === 'null') return null
  if (type === 'array' || schema.items !== undefined) {
    const length = Math.floor(random() ** 3 * 12)
    return schema.prefixItems !== undefined
      ? schema.prefixItems.map((item) => valueOf(random, item, depth + 1))
      : Array.from({ length }, () => valueOf(random, schema.items, depth + 1))
  }
  if (type === 'object' || schema.properties !== undefined) {
    const members = Object.entries(schema.properties ?? {}).filter(() => random() < 0.6)
    const named = members.map(([name, member]) => [name, valueOf(random, member, depth + 1)] as const)
    if (typeof schema.additionalProperties !== 'object') return Object.fromEntries(named)
    return {
      ...Object.fromEntries(named),
      [pick(random, addresses)]: valueOf(random, schema.additionalProperties, depth + 1),
    }
  }
  return text(random, schema.pattern)
}

/** Changes, truncates or repeats some of the bytes. */
export function damage(random: Random, bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes)
  for (let count = Math.floor(random() * 4); count > 0 && damaged.length > 0; count--) {
    damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256)
  }
  if (random() < 0.2) return damaged.subarray(0, Math.floor(random() * damaged.length))
  return random() < 0.1 ? Buffer.concat([damaged, damaged]) : damaged
}
