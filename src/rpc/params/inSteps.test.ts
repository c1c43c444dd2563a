import { describe, expect, it } from 'vitest'
import { runToCompletion } from '../../encoding/timeSlice.js'
import { replacementPair } from '../methods/anvil/reorg.js'
import { callBundle } from '../methods/eth/callMany.js'
import { storageRequest } from '../methods/eth/getStorageValues.js'
import { simulation } from '../methods/eth/simulateV1.js'
import { mineOrder } from '../methods/evm/mine_detailed.js'
import { payloadAttributes, payloadTransactions } from '../methods/testing.js'
import { tracedCall } from '../methods/trace/callMany.js'
import { blockSelector } from './blockSelector.js'
import { data, hash } from './bytes.js'
import { callObject, stateOverride } from './callObject.js'
import { DecodeError, type Decoder, inPieces, list } from './combinators.js'
import { filter } from './filter.js'
import { traceCallConfig, traceTypes } from './traceConfig.js'

const count = 1000
const word = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`
const place = (index: number): string => `0x${(count - index).toString(16).padStart(40, 'C')}`
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const record = <T>(name: (index: number) => string, value: (index: number) => T): Record<string, T> =>
  Object.fromEntries(many((index) => [name(index), value(index)]))

const bytes = `0x${'a7'.repeat(500_000)}`
const blob = `0x${'b1'.repeat(131_072)}`
const calls = many((index) => ({ to: place(index), gas: '0x5208', input: '0x01' }))
const overrides = record(place, () => ({ balance: '0x1', stateDiff: { [word(1)]: word(2) } }))
const withdrawal = { index: '0x1', validatorIndex: '0x2', address: place(3), amount: '0x4' }

interface Case {
  decoder: Decoder<unknown>
  value: unknown
  /** A similar value with an error. */
  wrong: unknown
}

const cases: Record<string, Case> = {
  bytes: { decoder: data, value: bytes, wrong: `${bytes}g0` },
  hashes: { decoder: list(hash, '[]common.Hash'), value: many(word), wrong: [...many(word), '0x1'] },
  'an access list': {
    decoder: callObject,
    value: { accessList: many((index) => ({ address: place(index), storageKeys: [word(index)] })) },
    wrong: { accessList: [...many(() => null), { address: 7 }] },
  },
  'data of a call': {
    decoder: callObject,
    value: { to: place(1), data: bytes },
    wrong: { data: `${bytes}0` },
  },
  'members of a block selector of no meaning': {
    decoder: blockSelector,
    value: { ...record(word, word), blockNumber: '0x1' },
    wrong: record(word, word),
  },
  'members of a filter of no meaning': {
    decoder: filter,
    value: { ...record(word, word), fromBlock: '0x1' },
    wrong: { ...record(word, word), fromBlock: 1 },
  },
  'members of a mining order of no meaning': {
    decoder: mineOrder,
    value: { ...record(word, word), blocks: 2 },
    wrong: { ...record(word, word), blocks: 'x' },
  },
  'members of no meaning': { decoder: callObject, value: record(word, word), wrong: [] },
  'state overrides': {
    decoder: stateOverride,
    value: overrides,
    wrong: { ...overrides, [place(0)]: { stateDiff: { [word(1)]: 2 } } },
  },
  'slots of an override': {
    decoder: stateOverride,
    value: { [place(1)]: { state: record(word, word) } },
    wrong: { [place(1)]: { state: { ...record(word, word), '0x': word(0) } } },
  },
  'slots of accounts': {
    decoder: storageRequest,
    value: { ...record(place, (index) => [word(index)]), [place(5).toLowerCase()]: [word(9), word(8)] },
    wrong: { ...record(place, () => []), [place(7)]: ['0x1'] },
  },
  'a simulation': {
    decoder: simulation,
    value: {
      blockStateCalls: [
        { calls, stateOverrides: overrides },
        { blockOverrides: { withdrawals: [withdrawal] } },
      ],
    },
    wrong: { blockStateCalls: [{ calls: [...calls, { gas: 1 }] }] },
  },
  'a bundle': {
    decoder: callBundle,
    value: { transactions: calls, blockOverride: { blockNumber: '0x1', time: '0x2' } },
    wrong: { transactions: calls, blockOverride: { blockNumber: 1 } },
  },
  'a traced call': {
    decoder: tracedCall,
    value: [{ data: bytes }, ['trace']],
    wrong: [{ data: bytes }, ['trace'], 1],
  },
  'overrides of a trace': {
    decoder: traceCallConfig,
    value: { stateOverrides: overrides },
    wrong: { stateOverrides: { ...overrides, [place(0)]: 1 } },
  },
  'a replacement': { decoder: replacementPair, value: [bytes, 1], wrong: [`${bytes}gg`, 1] },
  'attributes of a payload': {
    decoder: payloadAttributes,
    value: {
      timestamp: '0x1',
      prevRandao: word(1),
      suggestedFeeRecipient: place(1),
      withdrawals: many(() => withdrawal),
    },
    wrong: { withdrawals: many(() => withdrawal) },
  },
  'transactions of a payload': { decoder: payloadTransactions, value: [bytes, bytes], wrong: [bytes, 1] },
  addresses: {
    decoder: filter,
    value: { address: many(place), fromBlock: '0x1' },
    wrong: { address: [...many(place), word(1)] },
  },
  topics: {
    decoder: filter,
    value: { topics: [word(1), null, many(word), [...many(word), null, 7]] },
    wrong: { topics: [[...many(word), 7]] },
  },
  blobs: {
    decoder: callObject,
    value: { blobs: [blob, blob, blob, blob] },
    wrong: { blobs: [blob, `${blob.slice(0, -1)}g`] },
  },
  'types of a trace': {
    decoder: traceTypes,
    value: Array.from({ length: 200_000 }, () => 'vmTrace'),
    wrong: [...Array.from({ length: 200_000 }, () => 'vmTrace'), 'trance'],
  },
  'a long address': { decoder: filter, value: { address: place(1) }, wrong: { address: bytes } },
}

/** Returns the decoded value or the error, as text. */
function outcome(decode: () => unknown): string {
  try {
    return JSON.stringify(decode(), shown)
  } catch (error) {
    return `refused: ${error instanceof DecodeError ? error.describe() : String(error)}`
  }
}

function shown(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (value instanceof Set) return [...value]
  return typeof value === 'bigint' ? `${value}n` : value
}

describe.each(Object.entries(cases))('%s', (_name, { decoder, value, wrong }) => {
  it('decodes the same in pieces as in one call', () => {
    const both = (given: unknown): [atOnce: string, inPieces: string] => [
      outcome(() => decoder.decode(given)),
      outcome(() => runToCompletion(inPieces(decoder, given))),
    ]
    const [sound, soundInPieces] = both(value)
    expect(soundInPieces).toBe(sound)
    expect(sound).not.toContain('refused')
    const [refused, refusedInPieces] = both(wrong)
    expect(refusedInPieces).toBe(refused)
    expect(refused).toMatch(/^refused: /)
  })
})

it.each(Object.entries(cases).filter(([name]) => name !== 'a long address'))(
  '%s is decoded in many pieces',
  (_name, { decoder, value }) => {
    expect([...inPieces(decoder, value)].length).toBeGreaterThan(6)
  },
)
