import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { optionDefinitions, parseCommandOptions, parseNodeOptions } from '../options.js'

const directory = mkdtempSync(join(tmpdir(), 'standin-options-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function parse(words: string[], environment: Record<string, string> = {}) {
  return parseCommandOptions({ words, environment })
}

describe('flags', () => {
  test('long, short, joined and aliased forms are equivalent', () => {
    for (const words of [['--port', '9'], ['--port=9'], ['-p', '9'], ['-p9']])
      expect(parse(words).port).toBe(9)
    expect(parse(['--blockTime', '2']).blockTime).toBe(2)
    expect(parse(['--block-base-fee-per-gas', '7']).baseFee).toBe(7n)
  })

  test('a repeatable flag collects its values', () => {
    expect(parse(['--host', '127.0.0.1', '--host', '::1']).host).toEqual(['127.0.0.1', '::1'])
    expect(parse([]).host).toEqual(['127.0.0.1', '::1'])
  })

  test('a switch accepts true or false after it', () => {
    expect(parse(['--quiet']).quiet).toBe(true)
    expect(parse(['--quiet', 'false', '--json', 'true'])).toMatchObject({ quiet: false, json: true })
    expect(parse(['--no-mining', '--port', '0'])).toMatchObject({ noMining: true, port: 0 })
  })

  test("anvil's flags with an optional value work with and without it", () => {
    expect(parse(['--prune-history', '--md', '--port', '7']).port).toBe(7)
    expect(parse(['--prune-history', '5', '--port', '7']).port).toBe(7)
    expect(parse(['--color', 'never']).color).toBe('never')
    expect(parse(['--color', 'false', '--quiet']).color).toBe('never')
    expect(parse(['--color', '--quiet']).color).toBe('always')
    expect(parse([], { STANDIN_COLOR: '1' }).color).toBe('always')
    expect(parse([]).color).toBe('auto')
    expect(() => parse(['--color', 'red'])).toThrow('--color: expected auto, always or never, got "red"')
  })

  test('numbers of any size are exact', () => {
    expect(parse(['--chain-id', '0x7a69']).chainId).toBe(31337n)
    expect(parse(['--gas-limit', '9007199254740993']).gasLimit).toBe(9007199254740993n)
  })

  test.each([
    [['--bogus'], 'unknown flag --bogus (see --help)'],
    [['export'], 'unexpected argument export (see --help)'],
    [['--port'], '--port: expected a whole number from 0 to 65535, got nothing'],
    [['--port', '70000'], '--port: expected a whole number from 0 to 65535, got 70000'],
    [['--port', 'http'], '--port: expected a whole number from 0 to 65535, got "http"'],
    [['--order', 'random'], '--order: expected fees or fifo, got "random"'],
  ])('%j is refused', (words, message) => {
    expect(() => parse(words)).toThrow(message)
  })

  test.each([
    ['--key', ':s3cret'],
    ['--fork-url', 'ftp://remote.example/s3cret'],
    ['--fork-header', 's3cret'],
    ['--failover-url', 's3cret'],
  ])('a refusal of %s does not repeat a possible secret', (flag, value) => {
    const refusal = () => parse([flag, value])
    expect(refusal).toThrow(`${flag}: expected `)
    expect(refusal).not.toThrow('s3cret')
    const variable = `STANDIN_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`
    expect(() => parse([], { [variable]: value })).toThrow(/^STANDIN_(?!.*s3cret)/)
  })
})

describe('sources', () => {
  const config = join(directory, 'config.json')

  test('flags take precedence over the environment, the file and the defaults, in this order', () => {
    writeFileSync(config, JSON.stringify({ port: 1, ipfsPort: 1, accounts: 3 }))
    const settings = parse(['--config', config, '--port', '3'], { STANDIN_PORT: '2', STANDIN_IPFS_PORT: '2' })
    expect(settings).toMatchObject({ port: 3, ipfsPort: 2, accounts: 3, balance: 10_000 })
  })

  test('errors in the file or the environment name their source', () => {
    writeFileSync(config, JSON.stringify({ prot: 1 }))
    expect(() => parse(['--config', config])).toThrow('unknown option prot in config.json')
    writeFileSync(config, JSON.stringify({ port: '1' }))
    expect(() => parse(['--config', config])).toThrow('port in config.json: expected a whole number')
    expect(() => parse(['--config', join(directory, 'none.json')])).toThrow('--config: ENOENT')
    expect(() => parse([], { STANDIN_PORT: 'x' })).toThrow('STANDIN_PORT: expected a whole number')
  })

  test('a program passes values instead of text', () => {
    expect(parseNodeOptions({ port: 0, chainId: 1, gasLimit: 5_000n })).toMatchObject({
      chainId: 1n,
      gasLimit: 5_000n,
      mode: undefined,
    })
    expect(() => parseNodeOptions({ port: -1 })).toThrow(
      'port: expected a whole number from 0 to 65535, got -1',
    )
    expect(() => parseNodeOptions({ port: NaN })).toThrow('got NaN')
    expect(() => parseNodeOptions({ blockTime: Infinity })).toThrow('got Infinity')
    expect(() => parseNodeOptions(JSON.parse('{"quiet":true}'))).toThrow('unknown option quiet')
  })
})

describe('definitions', () => {
  test('no two options share a flag', () => {
    const flags = Object.values(optionDefinitions).flatMap(({ flag, ...rest }) => [
      flag,
      ...('aliases' in rest && rest.aliases ? rest.aliases : []),
    ])
    expect(new Set(flags).size).toBe(flags.length)
  })

  test('each property is its flag in camel case', () => {
    for (const [property, { flag }] of Object.entries(optionDefinitions)) {
      expect(property).toBe(flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    }
  })
})
