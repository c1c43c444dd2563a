import { describe, expect, test } from 'vitest'
import { parseRpcRoute } from './route.js'

const names = { all: new Set(['local', 'sepolia']), standard: 'local', domain: 'node.example' }
const parse = (target: string, host = '127.0.0.1:8545') => parseRpcRoute(names, target, host)

describe('parseRpcRoute', () => {
  test.each([
    ['/', { network: 'local', key: undefined, trailing: false, form: 'root' }],
    ['/?x=1', { network: 'local', key: undefined, trailing: false, form: 'root' }],
    ['/v3', { network: 'local', key: undefined, trailing: false, form: 'v3' }],
    ['/v3/', { network: 'local', key: undefined, trailing: false, form: 'v3' }],
    ['/v3/abc', { network: 'local', key: 'abc', trailing: false, form: 'v3' }],
    ['/v3/abc/', { network: 'local', key: 'abc', trailing: true, form: 'v3' }],
    ['/ws/v3/abc', { network: 'local', key: 'abc', trailing: false, form: 'ws' }],
    ['/ws/v3', { network: 'local', key: undefined, trailing: false, form: 'ws' }],
    ['/sepolia', { network: 'sepolia', key: undefined, trailing: false, form: 'root' }],
    ['/sepolia/v3/abc', { network: 'sepolia', key: 'abc', trailing: false, form: 'v3' }],
    ['/sepolia/ws/v3/abc', { network: 'sepolia', key: 'abc', trailing: false, form: 'ws' }],
    ['/_standin/rpc', { network: 'local', key: undefined, trailing: false, form: 'control' }],
    ['/_standin/rpc/sepolia', { network: 'sepolia', key: undefined, trailing: false, form: 'control' }],
  ])('%s', (target, route) => {
    expect(parse(target)).toEqual(route)
  })

  test.each([
    '/v4/abc',
    '/v3/abc/def',
    '/mainnet/v3/abc',
    '/_standin/health',
    '/_standin/rpc/mainnet',
    '/api/v0/add',
  ])('%s is none', (target) => {
    expect(parse(target)).toBeUndefined()
  })

  test('the host names the network where the path does not', () => {
    expect(parse('/v3/abc', 'sepolia.localhost:8545')?.network).toBe('sepolia')
    expect(parse('/v3/abc', 'SEPOLIA.node.example')?.network).toBe('sepolia')
    expect(parse('/v3/abc', 'sepolia.elsewhere.example')?.network).toBe('local')
    expect(parse('/v3/abc', 'mainnet.localhost')?.network).toBe('local')
    expect(parse('/local/v3/abc', 'sepolia.localhost')?.network).toBe('local')
  })
})
