import { describe, expect, it, vi } from 'vitest'
import { RpcError } from '../../src/rpc/errors.js'
import { defineMethod } from '../../src/rpc/method.js'
import { registry } from '../../src/rpc/registry.js'
import { countTurns, endEverySlice } from '../support/turns.js'
import { answerText, testPipeline } from './support/pipeline.js'

const success = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":"0x1"}`
const failure = (id: string, code: number, message: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`
const invalid = (id: string) => failure(id, -32600, 'invalid request')

describe('requests, notifications and invalid messages', () => {
  const call = (members: string) => `{"jsonrpc":"2.0","method":"eth_blockNumber"${members}}`
  const rows: [string, string, string][] = [
    ['a call', call(',"id":1'), success('1')],
    ['an id beyond 2^53', call(',"id":900719925474099312345'), success('900719925474099312345')],
    ['an id with a fraction', call(',"id":1.0'), success('1.0')],
    ['an id with an exponent', call(',"id":-1e2 '), success('-1e2')],
    ['an id written with an escape', call(',"id":"\\u0061<"'), success('"\\u0061<"')],
    ['a string id', call(',"id":"abc"'), success('"abc"')],
    [
      'an id in front of params with another id',
      `{"id":7.50,"jsonrpc":"2.0","method":"eth_blockNumber","params":[]}`,
      success('7.50'),
    ],
    ['id null', call(',"id":null'), success('null')],
    ['id true', call(',"id":true'), success('true')],
    ['a notification', call(''), ''],
    ['an id that is an object', call(',"id":{}'), invalid('null')],
    ['an id that is an array', call(',"id":[1]'), invalid('null')],
    ['no version', '{"method":"eth_blockNumber","id":4}', invalid('4')],
    ['another version', '{"jsonrpc":"1.0","method":"eth_blockNumber","id":4}', invalid('4')],
    ['no method', '{"jsonrpc":"2.0","id":"x"}', invalid('"x"')],
    ['a method that is a number', '{"jsonrpc":"2.0","id":5,"method":5}', invalid('5')],
    ['nothing in it', '{}', invalid('null')],
    ['a response', '{"jsonrpc":"2.0","id":5,"result":null}', ''],
    ['a subscription notification', '{"jsonrpc":"2.0","method":"eth_subscription","params":{}}', ''],
    ['a number', '5', invalid('null')],
    ['null', ' null ', invalid('null')],
    ['a string', '"x"', invalid('null')],
    ['names in capitals', '{"jsonrpc":"2.0","METHOD":"eth_blockNumber","id":12}', invalid('12')],
    ['an id in capitals', '{"jsonrpc":"2.0","method":"eth_blockNumber","ID":12}', ''],
    ['a name with an escape', '{"jsonrpc":"2.0","m\\u0065thod":"eth_blockNumber","id":1}', success('1')],
    ['a name twice', '{"jsonrpc":"2.0","method":"x","method":"eth_blockNumber","id":1}', success('1')],
    ['an id twice', '{"jsonrpc":"2.0","method":"eth_blockNumber","id":1,"id":2}', success('2')],
    ['a response with an error', '{"jsonrpc":"2.0","id":5,"error":null}', ''],
    ['params null', call(',"id":1,"params":null'), success('1')],
    ['params empty', call(',"id":1,"params":[]'), success('1')],
    ['params an object', call(',"id":1,"params":{}'), failure('1', -32602, 'non-array args')],
    [
      'too many params',
      call(',"id":1,"params":[1]'),
      failure('1', -32602, 'too many arguments, want at most 0'),
    ],
    ...[' {"x', ']', '}', ',', '{}', ' 1'].map((behind): [string, string, string] => [
      `${behind} behind it`,
      call(',"id":1') + behind,
      failure('null', -32700, 'parse error'),
    ]),
    ['white space around it', ` \n${call(',"id":1')}\t `, success('1')],
    ['nothing', '', ''],
    ['white space', ' \n', ''],
    ['no JSON', '{"jsonrpc"', failure('null', -32700, 'parse error')],
    ['words', 'hello', failure('null', -32700, 'parse error')],
    ['a batch', `[${call(',"id":1')},${call(',"id":2.0')}]`, `[${success('1')},${success('2.0')}]`],
    ['a batch of numbers', '[1,2]', `[${invalid('null')},${invalid('null')}]`],
    ['a batch of notifications', `[${call('')}]`, ''],
    ['an empty batch', '[]', failure('null', -32600, 'empty batch')],
  ]
  it.each(rows)('%s', async (_name, body, answer) => {
    expect(await answerText(testPipeline(), body)).toBe(answer)
    expect(await answerText(testPipeline(), Buffer.from(body))).toBe(answer)
  })

  it('reports the same errors for a long body, and yields while reading it', async () => {
    const members = `,"id":1,"params":[${'"0x00",'.repeat(100_000)}1]`
    endEverySlice()
    let answer = ''
    const turns = await countTurns(async () => {
      answer = await answerText(testPipeline(), call(members))
    })
    vi.restoreAllMocks()
    expect(answer).toBe(failure('1', -32602, 'too many arguments, want at most 0'))
    expect(turns).toBeGreaterThan(10)
    expect(await answerText(testPipeline(), `${call(members).slice(0, -1)}]`)).toBe(
      failure('null', -32700, 'parse error'),
    )
  })

  it('accepts up to 10,000 nested brackets', async () => {
    const nested = (depth: number) => call(`,"id":1,"params":${'['.repeat(depth)}${']'.repeat(depth)}`)
    // The call object itself is one level.
    expect(await answerText(testPipeline(), nested(9999))).toBe(
      failure('1', -32602, 'too many arguments, want at most 0'),
    )
    expect(await answerText(testPipeline(), nested(10_000))).toBe(failure('null', -32700, 'parse error'))
    expect(await answerText(testPipeline(), '['.repeat(10_001))).toBe(failure('null', -32700, 'parse error'))
    const text = `"${'[\\"'.repeat(10_001)}"`
    expect(await answerText(testPipeline(), call(`,"id":1,"params":[],"x":${text}`))).toBe(success('1'))
  })

  it('refuses unknown methods, long names and subscriptions over HTTP', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_<b>"}'
    const text = await answerText(testPipeline(), body)
    expect(text).toContain('The method eth_\\u003cb\\u003e does not exist/is not available')
    expect(JSON.parse(text).error).toEqual({
      code: -32601,
      message: 'The method eth_<b> does not exist/is not available',
    })
    expect(await answerText(testPipeline(), '{"jsonrpc":"2.0","id":1,"method":"eth_\\ud800"}')).toBe(
      failure('1', -32601, 'The method eth_\ufffd does not exist/is not available'),
    )
    const long = 'x'.repeat(2049)
    expect(await answerText(testPipeline(), `{"jsonrpc":"2.0","id":1,"method":"${long}"}`)).toBe(
      failure('1', -32600, 'method name too long: 2049 \\u003e 2048'),
    )
    expect(await answerText(testPipeline(), '{"jsonrpc":"2.0","id":1,"method":"eth_subscribe"}')).toBe(
      failure('1', -32601, 'notifications not supported'),
    )
  })
})

describe('batches', () => {
  const item = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"net_version"}`

  it('refuses a batch that is too long under the id of its first call', async () => {
    const pipeline = testPipeline({ batch: { maxItems: 2 } })
    const answer = await answerText(pipeline, `[5,${item(7)},${item(8)}]`)
    expect(answer).toBe(`[${failure('7', -32600, 'batch too large')}]`)
  })

  it('keeps the answer that exceeds the byte limit and refuses the calls after it', async () => {
    const pipeline = testPipeline({ batch: { maxItems: 9, maxResponseBytes: 5 } })
    const answers = JSON.parse(await answerText(pipeline, `[${[1, 2, 3, 4].map(item).join(',')}]`))
    expect(answers.map((answer: { error?: { code: number } }) => answer.error?.code)).toEqual([
      undefined,
      undefined,
      -32003,
      -32003,
    ])
  })

  it('yields between calls', async () => {
    const busy = defineMethod('eth_busy', [], () => {
      const end = performance.now() + 6
      while (performance.now() < end);
      return null
    })
    const pipeline = testPipeline({ methods: new Map([...registry, ['eth_busy', busy]]) })
    // The mocked clock of earlier tests still counts in this turn.
    await new Promise((resolve) => setImmediate(resolve))
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_busy"}'
    await answerText(pipeline, `[${Array.from({ length: 8 }, () => call).join()}]`)
    isDone = true
    // A turn's time starts at its first clock reading, so two calls may share the first turn, and two the last.
    expect(turns).toBeGreaterThanOrEqual(5)
  })

  it('runs its calls one after another', async () => {
    const order: number[] = []
    const slow = defineMethod('eth_slow', [], async () => {
      order.push(1)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(2)
      return null
    })
    const pipeline = testPipeline({ methods: new Map([['eth_slow', slow]]) })
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_slow"}'
    await answerText(pipeline, `[${call},${call}]`)
    expect(order).toEqual([1, 2, 1, 2])
  })
})

describe('faults and refusals', () => {
  it('reports an unexpected error without its details', async () => {
    const fault = new Error('secret')
    const broken = defineMethod('eth_broken', [], () => {
      throw fault
    })
    const reported: unknown[] = []
    const pipeline = testPipeline({
      methods: new Map([['eth_broken', broken]]),
      report: (method, cause) => reported.push(method, cause),
    })
    const text = await answerText(pipeline, '{"jsonrpc":"2.0","id":1,"method":"eth_broken"}')
    expect(text).toBe(failure('1', -32603, 'method handler crashed'))
    expect(reported).toEqual(['eth_broken', fault])
    await expect(pipeline.request('eth_broken')).rejects.toMatchObject({ code: -32603 })
  })

  it('answers even if the thrown value cannot be converted to a string', async () => {
    const fault = new Error('not to be looked at')
    const unprintable = new Proxy(new Error(), {
      getPrototypeOf() {
        throw fault
      },
    })
    const reported: unknown[] = []
    const broken = (name: string, run: () => Promise<null> | null) =>
      [name, defineMethod(name, [], run)] as const
    const pipeline = testPipeline({
      methods: new Map([
        broken('eth_atOnce', () => {
          throw unprintable
        }),
        broken('eth_later', () => Promise.reject(unprintable)),
      ]),
      report: (method, cause) => reported.push(method, cause),
    })
    for (const method of ['eth_atOnce', 'eth_later']) {
      const text = await answerText(pipeline, `{"jsonrpc":"2.0","id":1,"method":"${method}"}`)
      expect(text).toBe(failure('1', -32603, 'method handler crashed'))
    }
    expect(reported).toEqual(['eth_atOnce', fault, 'eth_later', fault])
  })

  it('ends a batch when its client disconnects', async () => {
    const controller = new AbortController()
    let runs = 0
    const leaving = defineMethod('test_leave', [], () => {
      if (++runs === 2) controller.abort()
      return 'left'
    })
    const pipeline = testPipeline({ methods: new Map([['test_leave', leaving]]) })
    const batch = Array.from({ length: 9 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'test_leave' }))
    const context = { transport: 'http', signal: controller.signal } as const
    expect(await answerText(pipeline, JSON.stringify(batch), context)).toBe('')
    expect(runs).toBe(2)
  })

  it("answers a refused single call with the refusal's own response, and a batched one inside the batch", async () => {
    const body = '{"jsonrpc":"2.0","error":{"code":-32002,"message":"rejected"}}\n'
    const pipeline = testPipeline({
      policy: {
        enter: () => {
          throw new RpcError(-32002, 'rejected', {
            refusal: { status: 403, contentType: 'text/plain; charset=utf-8', body },
          })
        },
      },
    })
    const call = '{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}'
    const reply = await pipeline.answerBody(call, { transport: 'http' })
    expect(reply?.status).toBe(403)
    expect(reply?.contentType).toBe('text/plain; charset=utf-8')
    expect(Buffer.concat(reply?.pieces ?? []).toString()).toBe(body)
    expect(reply?.byteLength).toBe(body.length)
    expect(await answerText(pipeline, `[${call}]`)).toBe(`[${failure('3', -32002, 'rejected')}]`)
  })

  it('reports the outcome of each call to the call policy', async () => {
    const outcomes: unknown[] = []
    const pipeline = testPipeline({
      policy: {
        enter: ({ method }) => ({
          done: ({ error, bytes }) => outcomes.push([method, error?.code, bytes]),
        }),
      },
    })
    await answerText(pipeline, '{"jsonrpc":"2.0","id":3,"method":"eth_chainId"}')
    await answerText(pipeline, '{"jsonrpc":"2.0","id":3,"method":"eth_getBalance","params":[]}')
    expect(outcomes[0]).toEqual(['eth_chainId', undefined, 5])
    expect(outcomes[1]).toEqual(['eth_getBalance', -32602, expect.any(Number)])
  })

  it('returns values and throws errors in process', async () => {
    const pipeline = testPipeline()
    expect(await pipeline.request('eth_getBlockByNumber', ['0x0', false])).toMatchObject({ number: '0x0' })
    await expect(pipeline.request('eth_chainId', [1])).rejects.toBeInstanceOf(RpcError)
  })
})

it('registers methods of every namespace', () => {
  for (const name of [
    'eth_getLogs',
    'eth_subscribe',
    'personal_sign',
    'evm_setIntervalMining',
    'web3_sha3',
  ]) {
    expect(registry.has(name)).toBe(true)
  }
})
