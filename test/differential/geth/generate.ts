import type { Random } from '../support/random.js'
import type { ChainFacts } from './chain.js'
import { nearMiss, respelled } from './nearMisses.js'
import { Programs, precompileCall } from './programs.js'
import { durations, javaScriptTracers, malformed, tracers, unusualMethods } from './values.js'

/** The subset of JSON Schema that the OpenRPC document uses. */
export interface Schema {
  title?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  propertyNames?: Schema
  additionalProperties?: Schema
}

/** A method of an OpenRPC document. */
export interface DocumentedMethod {
  name: string
  params: { name: string; required: boolean; schema: Schema }[]
}

/** Probabilities that a request is malformed, and within it each value and the length of the parameter list. */
const MALFORMED_REQUESTS = 0.2
const MALFORMED_VALUES = 0.15
const MALFORMED_LISTS = 0.08
/** Probabilities that a value of a request is a near miss, that another one is, and that its text has an unusual spelling. */
const NEAR_MISSES = 0.2
const SECOND_MISSES = 0.25
const UNUSUAL_SPELLINGS = 0.05
/** Probability that a call with overrides is to one of the overridden accounts. */
const OVERRIDDEN_RECIPIENTS = 0.4

/** Overrides of a generator's defaults. */
export interface GeneratorRules {
  /** Frequency of a method, relative to others. */
  weight?: (method: string) => number
  /** Makes a value for a parameter; undefined leaves it to the schema. */
  argument?: (random: Random, parameter: string, method: string) => unknown
}

/** Makes random requests from a node's OpenRPC document and facts of its chain. */
export class Generator {
  readonly #random: Random
  readonly #facts: ChainFacts
  readonly #methods: readonly DocumentedMethod[]
  readonly #argument: NonNullable<GeneratorRules['argument']>
  readonly #programs: Programs
  #isMalformed = false

  constructor(
    random: Random,
    facts: ChainFacts,
    methods: readonly DocumentedMethod[],
    { weight = usualWeight, argument = () => undefined }: GeneratorRules = {},
  ) {
    this.#random = random
    this.#facts = facts
    this.#methods = methods.flatMap((method) => Array<DocumentedMethod>(weight(method.name)).fill(method))
    this.#argument = argument
    this.#programs = new Programs(random, this.#addresses())
  }

  /** Returns the body of the next request. */
  next(): string {
    const random = this.#random
    if (random.chance(0.02)) return this.#envelope()
    if (random.chance(0.01)) return this.#batch()
    return this.#single()
  }

  /** Returns a body with an unusual JSON-RPC envelope, or a batch. */
  unusualBody(): string {
    return this.#random.chance(0.7) ? this.#envelope() : this.#batch()
  }

  #single(): string {
    const random = this.#random
    const { method, params } = this.call()
    let changed: unknown = params
    // With two wrong values, one is reported.
    for (let chance = NEAR_MISSES; random.chance(chance); chance = SECOND_MISSES) {
      changed = nearMiss(random, changed)
    }
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: changed })
    return random.chance(UNUSUAL_SPELLINGS) ? respelled(random, text) : text
  }

  /** Returns a random method with arguments. */
  call(): { method: string; params: unknown[] } {
    const random = this.#random
    const method = random.pick(this.#methods)
    this.#isMalformed = random.chance(MALFORMED_REQUESTS)
    let params: unknown[] = []
    for (const { required, schema, name } of method.params) {
      if (!required && random.chance(0.4)) {
        if (random.chance(0.3)) {
          params.push(null)
          continue
        }
        break
      }
      params.push(this.#argumentOf(schema, name, method.name))
      if (name === 'stateOverrides' && random.chance(OVERRIDDEN_RECIPIENTS)) {
        params[0] = withRecipient(params[0], random.pick(['0x', ...Object.keys(params.at(-1) ?? {})]))
      }
    }
    if (this.#isMalformed && random.chance(MALFORMED_LISTS))
      params = params.slice(0, random.below(params.length + 1))
    if (this.#isMalformed && random.chance(MALFORMED_LISTS)) params.push(random.pick(malformed))
    return { method: method.name, params }
  }

  #argumentOf(schema: Schema, name: string, method: string): unknown {
    if (this.#isMalformed && this.#random.chance(MALFORMED_VALUES)) return this.#random.pick(malformed)
    const argument = this.#argument(this.#random, name, method)
    return argument === undefined ? this.#value(schema, name) : argument
  }

  /** Returns a request with an unusual or broken JSON-RPC envelope. */
  #envelope(): string {
    const random = this.#random
    const call = { jsonrpc: '2.0', id: 1, ...this.call() }
    const text = JSON.stringify(call)
    const changed = (changes: object): string => JSON.stringify({ ...call, ...changes })
    return random.pick([
      () => text + random.pick([']', '}', ',', ' ', '\n', 'x', '{}', '[', '"', text]),
      () => random.pick([' ', '\n', '\t', '\ufeff', '[', ',']) + text,
      () => text.slice(0, random.below(text.length)),
      () => text.replace('"method"', random.pick(['"METHOD"', '"Method"', '"m\\u0065thod"', '"methods"'])),
      () => text.replace('"jsonrpc"', random.pick(['"JSONRPC"', '"json"', '"Jsonrpc"'])),
      () => text.replace('"params"', random.pick(['"PARAMS"', '"param"', '"Params"'])),
      () => text.replace('"id"', random.pick(['"ID"', '"Id"', '"i"'])),
      () => changed({ id: random.pick([null, true, 1.5, '', 'a', {}, [], -0, 1e3, '<&>', 'ü']) }),
      () => changed({ jsonrpc: random.pick(['1.0', 2, null, '2', '', '2.0 ']) }),
      () => changed({ params: random.pick([null, {}, 'x', 1, true, [[]], { 0: 1 }]) }),
      () => changed({ method: random.pick(unusualMethods) }),
      () => {
        const name = random.pick(['jsonrpc', 'method', 'id', 'params'])
        const value = random.pick(['null', '1', '"2.0"', '"eth_chainId"', '[]', '{}'])
        const member = `"${name}":${value}`
        return random.chance(0.5) ? text.replace('{', `{${member},`) : text.replace(/\}$/, `,${member}}`)
      },
      () => changed({ result: 1 }),
      () => changed({ error: { code: 1 } }),
      () => changed({ more: [1] }),
      () =>
        random.pick([
          'null',
          '1',
          '"x"',
          'true',
          '[]',
          '{}',
          '',
          ' ',
          '[null]',
          '[1,2]',
          '[[]]',
          '[{}]',
          'nul',
          '01',
          '{"a":1,}',
        ]),
    ])()
  }

  #batch(): string {
    const random = this.#random
    const items: string[] = []
    for (let count = 1 + random.below(4); count > 0; count--) {
      items.push(
        random.chance(0.2)
          ? random.pick(['1', 'null', '{}', '[]', '{"jsonrpc":"2.0","method":"eth_chainId"}'])
          : this.#single(),
      )
    }
    return `[${items.join(',')}]`
  }

  #value(schema: Schema, name: string): unknown {
    const random = this.#random
    if (this.#isMalformed && random.chance(MALFORMED_VALUES)) return random.pick(malformed)
    const named = this.#named(name)
    if (named !== undefined) return named
    if (schema.title !== undefined) {
      const value = this.#titled(schema.title)
      if (value !== undefined) return value
    }
    if (schema.enum !== undefined) return random.pick(schema.enum)
    if (schema.anyOf !== undefined) return this.#value(random.pick(schema.anyOf), name)
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return Array.from({ length: random.pick([0, 1, 1, 1, 2, 3]) }, () =>
          this.#value(schema.items ?? {}, name),
        )
      case 'boolean':
        return random.chance(0.5)
      case 'integer':
        return random.pick([0, 1, 2, 7, 100, 1000])
      case 'number':
        return random.pick([0, 5, 10.5, 25, 50, 75, 99.9, 100])
      case 'null':
        return null
      default:
        return random.pick(['', 'x', '0x0'])
    }
  }

  #object({ properties, propertyNames, additionalProperties }: Schema): Record<string, unknown> {
    const random = this.#random
    const made: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(properties ?? {})) {
      if (!random.chance(likelihood(name))) continue
      made[this.#isMalformed && random.chance(0.03) ? name.toUpperCase() : name] = this.#value(schema, name)
    }
    if (propertyNames !== undefined && additionalProperties !== undefined) {
      for (let count = random.pick([0, 1, 1, 1, 2, 3]); count > 0; count--) {
        made[String(this.#value(propertyNames, ''))] = this.#value(additionalProperties, '')
      }
    }
    return made
  }

  /** Makes a value that suits the name of a member; undefined for other names. */
  #named(name: string): unknown {
    const random = this.#random
    switch (name) {
      case 'code':
        return this.#programs.next()
      case 'data':
      case 'input':
        return random.pick([
          '0x',
          random.hex(4),
          random.hex(random.below(80)),
          random.hex(32),
          this.#programs.next(),
          precompileCall(random).data,
        ])
      case 'gas':
        return random.pick([
          '0x0',
          '0x5208',
          '0x520c',
          '0xc350',
          '0x186a0',
          '0xf4240',
          '0x1000001',
          '0x4c4b40',
          random.quantity(26),
        ])
      case 'gasPrice':
      case 'maxFeePerGas':
      case 'maxPriorityFeePerGas':
      case 'maxFeePerBlobGas':
        return random.pick([
          '0x0',
          '0x1',
          '0x3b9aca00',
          '0x4a817c800',
          '0x77359400',
          '0x1',
          random.quantity(40),
        ])
      case 'value':
        return random.pick(['0x0', '0x0', '0x1', '0x64', random.quantity(64)])
      case 'chainId':
        return random.pick(['0x7a69', '0x7a69', '0x1'])
      case 'nonce':
        return random.pick(['0x0', '0x1', '0x5', random.quantity(64)])
      case 'tracer':
        return random.pick(random.chance(0.15) ? javaScriptTracers : tracers)
      case 'tracerConfig':
        return this.#tracerConfig()
      case 'timeout':
        return random.pick(durations)
      case 'limit':
        return random.pick([0, 1, 10, 100, 1000, 10000])
      case 'blob':
      case 'blobs':
      case 'commitments':
      case 'proofs':
        return []
      case 'versionedHashes':
        return []
      case 'number':
        return this.#quantityNear(this.#facts.head)
      case 'time':
        return random.pick(['0x0', '0x1', '0x6b49d200', random.quantity(33), '0x77359400'])
      case 'kind':
        return random.pick([
          'newHeads',
          'logs',
          'newPendingTransactions',
          'syncing',
          'x',
          'transactionReceipts',
        ])
      default:
        return undefined
    }
  }

  #titled(title: string): unknown {
    const random = this.#random
    const { blockHashes, transactionHashes, rawBlocks } = this.#facts
    switch (title) {
      case 'address':
        return this.#address()
      case '32 byte hash':
        return random.pick([
          random.pick(blockHashes),
          random.pick(transactionHashes),
          random.pick(transactionHashes),
          random.hex(32),
          this.#slot(),
        ])
      case 'storage key':
        return random.pick([
          this.#slot(),
          this.#slot(),
          random.quantity(16),
          random.hex(random.below(34)),
          '0',
          'x',
          '0x1',
        ])
      case 'block number':
        return this.#quantityNear(this.#facts.head)
      case 'block tag':
        return random.pick(['latest', 'latest', 'earliest', 'safe', 'finalized', 'pending'])
      case 'index':
        return random.pick(['0x0', '0x0', '0x1', '0x2', '0x10'])
      case '64 bit unsigned integer':
        return random.quantity(64)
      case '256 bit unsigned integer':
        return random.quantity(256)
      case 'bytes':
        return random.chance(0.1) ? random.pick(rawBlocks) : random.hex(random.below(70))
      case 'filter identifier':
        return random.pick([random.hex(16), '0x1', ''])
      case 'block count':
        return random.pick([0, 1, 2, 5, 40, 2000, '0x3', '4', '0x0'])
      default:
        return undefined
    }
  }

  #address(): string {
    const random = this.#random
    return random.chance(0.05) ? random.hex(20) : random.pick(this.#addresses())
  }

  #addresses(): string[] {
    const { accounts, contracts } = this.#facts
    const system = [
      '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
      '0x0000f90827f1c53a10cb7a02335b175320002935',
      '0x00000961ef480eb55e80d19ad83579a64c007002',
      '0x0000bbddc7ce488642fb579f8b00f3a590007251',
    ]
    const precompiled = [1, 2, 4, 5, 6, 8, 9, 10, 11, 0x100].map(
      (number) => `0x${number.toString(16).padStart(40, '0')}`,
    )
    return [
      ...accounts,
      ...contracts,
      ...contracts,
      ...contracts,
      ...system,
      ...precompiled,
      `0x${'0'.repeat(40)}`,
      `0x${'c014ba5e'.repeat(5)}`,
      // The sender of system calls (EIP-4788).
      `0x${'f'.repeat(39)}e`,
      `0x${'12'.repeat(20)}`,
    ]
  }

  #slot(): string {
    return `0x${this.#random.below(5).toString(16).padStart(64, '0')}`
  }

  #quantityNear(head: number): string {
    const random = this.#random
    const number = random.chance(0.8) ? random.below(head + 1) : head + random.below(20)
    return `0x${number.toString(16)}`
  }

  #tracerConfig(): unknown {
    const random = this.#random
    const names = [
      'onlyTopCall',
      'withLog',
      'diffMode',
      'disableCode',
      'disableStorage',
      'includeEmpty',
      'convertParityErrors',
      'includePrecompiles',
    ]
    const config = Object.fromEntries(
      names.filter(() => random.chance(0.2)).map((name) => [name, random.chance(0.8)]),
    )
    return random.pick<unknown>([
      ...[config, config, config, config, { callTracer: {}, prestateTracer: config }],
      { muxTracer: { callTracer: config }, erc7562Tracer: {}, noopTracer: null },
      { ...config, stackTopItemsSize: random.below(4), ignoredOpcodes: { '0x60': {}, '0x1': {} } },
      random.pick([null, [], 'x', { onlyTopCall: 'true' }, { diffMode: 1 }, { stackTopItemsSize: '1' }]),
    ])
  }
}

/** Default frequency of a method, relative to others. */
function usualWeight(name: string): number {
  if (/^eth_(call|estimateGas)$/.test(name)) return 14
  if (/^(eth_simulateV1|debug_traceCall)$/.test(name)) return 14
  if (/^eth_(createAccessList|fillTransaction|getLogs|getProof)$/.test(name)) return 5
  if (/^debug_trace/.test(name)) return 4
  return 2
}

/** Probability that an optional member is present. */
function likelihood(name: string): number {
  if (/^(to|from)$/.test(name)) return 0.8
  if (/^(address|storageKeys|transaction|calls|blockStateCalls|stateOverrides|code)$/.test(name)) return 0.9
  if (/^(chainId|nonce|r|s|yParity)$/.test(name)) return 0.3
  if (
    /^(authorizationList|blobVersionedHashes|maxFeePerBlobGas|accessList|blobs|commitments|proofs|beaconRoot|withdrawals)$/.test(
      name,
    )
  )
    return 0.1
  if (/^(gasPrice|maxFeePerGas|maxPriorityFeePerGas|data|state|stateDiff|balance)$/.test(name)) return 0.25
  if (name === 'movePrecompileToAddress') return 0.2
  if (/^(difficulty|number|time|gasLimit|feeRecipient|prevRandao|baseFeePerGas|blobBaseFee)$/.test(name))
    return 0.2
  return 0.4
}

/** Directs a call, if it is one, to an account. */
function withRecipient(call: unknown, to: string): unknown {
  return typeof call === 'object' && call !== null && to.length > 2 ? { ...call, to } : call
}
