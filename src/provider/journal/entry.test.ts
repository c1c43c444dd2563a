import { expect, test } from 'vitest'
import { entryOf, type RecordedRequest } from './journal.js'

const request: RecordedRequest = {
  time: 0,
  network: 'mainnet',
  transport: 'http',
  method: 'eth_call',
  params: undefined,
  status: 200,
  milliseconds: 1,
  credits: 80,
  bytes: 4,
}

function paramsIn(text: string): unknown {
  return entryOf({ ...request, text }).params
}

test('parameters are those of the call in the text', () => {
  expect(paramsIn('{"id":1,"method":"eth_call","params":[{"to":"0x12"},"latest"]}')).toEqual([
    { to: '0x12' },
    'latest',
  ])
  expect(paramsIn(' {"params":["a"],"PARAMS":["other"],"method":"eth_call"} ')).toEqual(['a'])
  expect(paramsIn('{"params":["a"],"method":"eth_call"} and more')).toBeUndefined()
  expect(paramsIn('{"method":"eth_call"}')).toBeUndefined()
})

test('parameters with many values are not kept, however short their text', () => {
  expect(paramsIn(`{"params":[${Array.from({ length: 256 }, () => 0).join()}]}`)).toHaveLength(256)
  expect(paramsIn(`{"params":[${Array.from({ length: 257 }, () => 0).join()}]}`)).toBe(
    '(too large for the journal)',
  )
})

test('an entry has its members in recorded order, without text', () => {
  const entry = entryOf({ ...request, text: '{"params":["0x1"]}' })
  expect(Object.keys(entry)).toEqual(Object.keys(request))
})

test.each([
  ['anvil_reset', [{ forking: { jsonRpcUrl: 'https://user:pass@remote.example/v3/KEY', blockNumber: 5 } }]],
  ['hardhat_reset', [{ forking: { jsonRpcUrl: 'https://remote.example/?key=KEY', blockNumber: 5 } }]],
])('%s shows only the host of a URL', (method, params) => {
  const masked = [{ forking: { jsonRpcUrl: 'https://remote.example/…', blockNumber: 5 } }]
  expect(entryOf({ ...request, method, text: JSON.stringify({ method, params }) }).params).toEqual(masked)
  expect(entryOf({ ...request, method, params }).params).toEqual(masked)
})

test('anvil_setRpcUrl shows only the host of a URL, and no other value', () => {
  const entry = (params: unknown) => entryOf({ ...request, method: 'anvil_setRpcUrl', params }).params
  expect(entry(['http://remote.example:8545/v3/KEY'])).toEqual(['http://remote.example:8545/…'])
  expect(entry(['127.0.0.1:8545/v3/KEY'])).toEqual(['…'])
  expect(entry([null, '0x5', '17'])).toEqual([null, '0x5', '17'])
})
