import { describe, expect, test } from 'vitest'
import type { Method } from '../../src/rpc/method.js'
import { blockCount, rewardPercentiles } from '../../src/rpc/methods/eth/feeHistory.js'
import { storageRequest } from '../../src/rpc/methods/eth/getStorageValues.js'
import { payloadAttributes, payloadTransactions } from '../../src/rpc/methods/testing.js'
import { blockNumber, blockSelector } from '../../src/rpc/params/blockSelector.js'
import {
  address,
  boolean,
  data,
  filterId,
  hash,
  storageKey,
  storageKeys,
} from '../../src/rpc/params/bytes.js'
import { blockOverrides, callObject, stateOverride } from '../../src/rpc/params/callObject.js'
import type { Decoder } from '../../src/rpc/params/combinators.js'
import { filter } from '../../src/rpc/params/filter.js'
import { index } from '../../src/rpc/params/numbers.js'
import { traceCallConfig, traceConfig } from '../../src/rpc/params/traceConfig.js'
import { registry } from '../../src/rpc/registry.js'
import { outcomeOf, testPipeline } from '../rpc/support/pipeline.js'

/** Invalid values, each with geth's message (from its common/hexutil or Go's encoding/json). */
type InvalidValues = readonly (readonly [value: unknown, message: string])[]

/** One valid value of a parameter type, and many invalid ones. */
interface Kind {
  valid: unknown
  invalid: InvalidValues
}

const into = (reason: string, type: string) =>
  `json: cannot unmarshal ${reason} into Go value of type ${type}`
const digits = (length: number) => `0x${'ab'.repeat(length)}`

function fixedBytes(length: number, type: string): InvalidValues {
  const wrongLength = (count: number) => `hex string has length ${count}, want ${2 * length} for ${type}`
  return [
    [5, into('non-string', type)],
    [true, into('non-string', type)],
    [{}, into('non-string', type)],
    [[], into('non-string', type)],
    ['', wrongLength(0)],
    ['0x', wrongLength(0)],
    [digits(length - 1), wrongLength(2 * length - 2)],
    [digits(length + 1), wrongLength(2 * length + 2)],
    [digits(length).slice(2), into('hex string without 0x prefix', type)],
    [digits(length).slice(0, -1), into('hex string of odd length', type)],
    [`0x${'zz'.repeat(length)}`, into('invalid hex string', type)],
  ]
}

const blockNumberTexts: InvalidValues = [
  ['', 'empty hex string'],
  ['0x', 'hex string "0x"'],
  ['newest', 'hex string without 0x prefix'],
  ['LATEST', 'hex string without 0x prefix'],
  ['12', 'hex string without 0x prefix'],
  ['-0x1', 'hex string without 0x prefix'],
  ['0x00', 'hex number with leading zero digits'],
  ['0x01', 'hex number with leading zero digits'],
  ['0xz', 'invalid hex string'],
  [`0x1${'0'.repeat(16)}`, 'hex number > 64 bits'],
]

function wrongTypes(type: string, fitting: 'object' | 'array' | 'string'): InvalidValues {
  const values: [unknown, string][] = [
    [5, 'number'],
    [true, 'bool'],
    ['x', 'string'],
    [{}, 'object'],
    [[], 'array'],
  ]
  return values.filter(([, name]) => name !== fitting).map(([value, name]) => [value, into(name, type)])
}

const kinds = new Map<Decoder<unknown>, Kind>([
  [address, { valid: digits(20), invalid: fixedBytes(20, 'common.Address') }],
  [hash, { valid: digits(32), invalid: fixedBytes(32, 'common.Hash') }],
  [
    data,
    {
      valid: '0xab',
      invalid: [
        [5, into('non-string', 'hexutil.Bytes')],
        [{}, into('non-string', 'hexutil.Bytes')],
        ['ab', into('hex string without 0x prefix', 'hexutil.Bytes')],
        ['0xabc', into('hex string of odd length', 'hexutil.Bytes')],
        ['0xzz', into('invalid hex string', 'hexutil.Bytes')],
      ],
    },
  ],
  [
    index,
    {
      valid: '0x0',
      invalid: [
        [0, into('non-string', 'hexutil.Uint')],
        ['0', into('hex string without 0x prefix', 'hexutil.Uint')],
        ['0x', into('hex string "0x"', 'hexutil.Uint')],
        ['0x00', into('hex number with leading zero digits', 'hexutil.Uint')],
        ['0xz', into('invalid hex string', 'hexutil.Uint')],
        [`0x1${'0'.repeat(16)}`, into('hex number > 64 bits', 'hexutil.Uint')],
      ],
    },
  ],
  [
    blockNumber,
    {
      valid: 'latest',
      invalid: [
        ...blockNumberTexts,
        ['0x8000000000000000', 'block number larger than int64'],
        ...[5, true, {}, []].map((value) => [value, 'hex string without 0x prefix'] as const),
      ],
    },
  ],
  [
    blockSelector,
    {
      valid: 'latest',
      invalid: [
        ...blockNumberTexts,
        ['0x8000000000000000', 'blocknumber too high'],
        [`0x${'zz'.repeat(32)}`, 'invalid hex string'],
        [5, into('number', 'string')],
        [true, into('bool', 'string')],
        [[], into('array', 'string')],
        [{}, 'must specify either BlockHash or BlockNumber'],
        [
          { blockNumber: '0x1', blockHash: digits(32) },
          'cannot specify both BlockHash and BlockNumber, choose one or the other',
        ],
        [{ blockNumber: 1 }, into('object', 'string')],
        [{ blockHash: '0x1' }, into('object', 'string')],
      ],
    },
  ],
  [
    boolean,
    {
      valid: true,
      invalid: [
        [1, into('number', 'bool')],
        ['true', into('string', 'bool')],
        [{}, into('object', 'bool')],
        [[], into('array', 'bool')],
      ],
    },
  ],
  [callObject, { valid: {}, invalid: wrongTypes('ethapi.TransactionArgs', 'object') }],
  [stateOverride, { valid: {}, invalid: wrongTypes('override.StateOverride', 'object') }],
  [blockOverrides, { valid: {}, invalid: wrongTypes('override.BlockOverrides', 'object') }],
  [traceConfig, { valid: {}, invalid: wrongTypes('tracers.TraceConfig', 'object') }],
  [traceCallConfig, { valid: {}, invalid: wrongTypes('tracers.TraceCallConfig', 'object') }],
  [filter, { valid: {}, invalid: wrongTypes('filters.input', 'object') }],
  [
    storageRequest,
    {
      valid: {},
      invalid: [
        ...wrongTypes('map[common.Address][]common.Hash', 'object'),
        [{ '0x12': [] }, 'hex string has length 2, want 40 for common.Address'],
        [{ [digits(20)]: 'x' }, into('string', '[]common.Hash')],
        [{ [digits(20)]: ['0x1'] }, into('hex string of odd length', 'common.Hash')],
      ],
    },
  ],
  [storageKey, { valid: '0x0', invalid: wrongTypes('string', 'string') }],
  [
    storageKeys,
    { valid: [], invalid: [...wrongTypes('[]string', 'array'), [[1], into('number', 'string')]] },
  ],
  [filterId, { valid: '0x1', invalid: wrongTypes('rpc.ID', 'string') }],
  [
    blockCount,
    {
      valid: '0x1',
      invalid: [
        ['zz', 'invalid hex or decimal integer "zz"'],
        ['-1', 'invalid hex or decimal integer "-1"'],
        [1.5, 'invalid hex or decimal integer "1.5"'],
      ],
    },
  ],
  [
    rewardPercentiles,
    { valid: [], invalid: [...wrongTypes('[]float64', 'array'), [['x'], into('string', 'float64')]] },
  ],
  [
    payloadAttributes,
    {
      valid: { timestamp: '0x1', prevRandao: digits(32), suggestedFeeRecipient: digits(20) },
      invalid: [
        ...wrongTypes('engine.PayloadAttributes', 'object'),
        [{}, "missing required field 'timestamp' for PayloadAttributes"],
      ],
    },
  ],
  [
    payloadTransactions,
    {
      valid: [],
      invalid: [...wrongTypes('[]hexutil.Bytes', 'array'), [[1], into('non-string', 'hexutil.Bytes')]],
    },
  ],
])

/** The standard methods, except those that subscribe: their first argument decides which others may follow. */
const methods = [...registry.values()].filter(
  ({ name }) => /^(eth|debug|net|web3|txpool|testing)_/.test(name) && !name.endsWith('_subscribe'),
)

const pipeline = testPipeline()

async function refusal(method: Method, params: unknown): Promise<string> {
  const { error, result } = await outcomeOf(pipeline, method.name, params)
  expect(error?.code, `${JSON.stringify(params)} gave ${JSON.stringify(result ?? error)}`).toBe(-32602)
  return error?.message ?? ''
}

/** Returns valid arguments for all parameters before `position`, or undefined if one has a type not listed here. */
function argumentsBefore({ parameters }: Method, position: number): unknown[] | undefined {
  const before = parameters.slice(0, position).map(({ decoder }) => kinds.get(decoder))
  return before.includes(undefined) ? undefined : before.map((kind) => kind?.valid)
}

describe.each(methods.map((method) => [method.name, method] as const))('%s', (_, method) => {
  const { parameters } = method

  test('refuses arguments that are not a list', async () => {
    for (const params of [{}, 'x', 5, true]) expect(await refusal(method, params)).toBe('non-array args')
  })

  test('names the missing required argument', async () => {
    for (const [position, parameter] of parameters.entries()) {
      const before = argumentsBefore(method, position)
      if (!parameter.required || before === undefined) continue
      expect(await refusal(method, before)).toBe(`missing value for required argument ${position}`)
    }
  })

  test('refuses too many arguments', async () => {
    const all = argumentsBefore(method, parameters.length)
    if (all === undefined) return
    expect(await refusal(method, [...all, 'x'])).toBe(`too many arguments, want at most ${parameters.length}`)
  })

  for (const [position, { name, decoder, required }] of parameters.entries()) {
    const kind = kinds.get(decoder)
    const before = argumentsBefore(method, position)
    if (kind === undefined || before === undefined) continue
    test(`refuses an invalid ${name} with geth's message`, async () => {
      for (const [value, message] of kind.invalid) {
        if (value === null && !required) continue
        expect(await refusal(method, [...before, value])).toBe(`invalid argument ${position}: ${message}`)
      }
    })
  }
})

test('nearly all parameters of the standard have a type listed here', () => {
  const all = methods.flatMap(({ parameters }) => parameters)
  expect(all.filter(({ decoder }) => kinds.has(decoder)).length / all.length).toBeGreaterThan(0.85)
})

test('rpc.discover describes every method and its parameters', async () => {
  const { result } = await outcomeOf(pipeline, 'rpc.discover', [])
  const document = result as {
    openrpc: string
    methods: { name: string; params: { name: string; required: boolean; schema: unknown }[] }[]
  }
  expect(document.openrpc).toMatch(/^1\./)
  expect(document.methods.map(({ name }) => name)).toEqual([...registry.keys()].sort())
  for (const { name, params } of document.methods) {
    const described = params.map((parameter) => [parameter.name, parameter.required, parameter.schema])
    const declared = registry.get(name)?.parameters ?? []
    expect(described).toEqual(
      declared.map(({ name: parameter, required, decoder }) => [parameter, required, decoder.schema]),
    )
  }
})
