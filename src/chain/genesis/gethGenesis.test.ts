import { describe, expect, test } from 'vitest'
import { bytesToHex } from '../../encoding/hex.js'
import { createSingleForkSchedule } from '../evm/forkSchedule.js'
import { ownGenesis } from './ownGenesis.js'
import { formatGethGenesis } from './formatGenesis.js'
import { parseGethGenesis } from './gethGenesis.js'

const everyFork = {
  chainId: 7,
  homesteadBlock: 0,
  eip150Block: 1,
  eip155Block: 2,
  eip158Block: 2,
  byzantiumBlock: 3,
  constantinopleBlock: 4,
  petersburgBlock: 5,
  istanbulBlock: 6,
  berlinBlock: 7,
  londonBlock: 8,
  mergeNetsplitBlock: 9,
  terminalTotalDifficulty: 1000,
  shanghaiTime: 100,
  cancunTime: 110,
  pragueTime: 120,
  osakaTime: 130,
  bpo1Time: 140,
  blobSchedule: {
    cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
    prague: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
    osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
    bpo1: { target: 11, max: 17, baseFeeUpdateFraction: 9000000 },
  },
}

function genesisText(config: object, rest: object = {}): string {
  return JSON.stringify({ config, difficulty: '0x20000', gasLimit: '0x1c9c380', alloc: {}, ...rest })
}

function rulesAt(number: bigint, timestamp: bigint, difficulty: bigint): string {
  return parseGethGenesis(genesisText(everyFork))
    .schedule.rulesAt({ number, timestamp, difficulty })
    .hardfork()
}

describe('forks', () => {
  test('activate by block, by the merge, and by time', () => {
    expect(rulesAt(0n, 0n, 1n)).toBe('homestead')
    expect(rulesAt(2n, 0n, 1n)).toBe('spuriousDragon')
    expect(rulesAt(7n, 0n, 1n)).toBe('berlin')
    expect(rulesAt(9n, 99n, 1n)).toBe('london')
    expect(rulesAt(9n, 99n, 0n)).toBe('paris')
    expect(rulesAt(10n, 100n, 0n)).toBe('shanghai')
    expect(rulesAt(10n, 139n, 0n)).toBe('osaka')
    expect(rulesAt(10n, 5000n, 0n)).toBe('bpo1')
  })

  test('none after the merge is active under proof of work, at any time', () => {
    expect(rulesAt(10n, 5000n, 1n)).toBe('london')
  })

  test('the blob schedule comes from the file', () => {
    const { schedule } = parseGethGenesis(genesisText(everyFork))
    const blobs = schedule.rulesAt({ number: 10n, timestamp: 140n }).getBlobGasSchedule()
    expect(blobs).toEqual({
      targetBlobGasPerBlock: 11n * 131_072n,
      maxBlobGasPerBlock: 17n * 131_072n,
      blobGasPriceUpdateFraction: 9_000_000n,
    })
  })

  test('EIP-7825 is active, and the size of blocks is limited', () => {
    const rules = parseGethGenesis(genesisText(everyFork)).schedule.rulesAt({ number: 10n, timestamp: 130n })
    expect(rules.isActivatedEIP(7825)).toBe(true)
    expect(rules.isActivatedEIP(7934)).toBe(true)
  })

  test('those by time add header fields to the genesis only if London is active there', () => {
    const fields = (config: object) => {
      const { header } = parseGethGenesis(genesisText(config, { timestamp: '0x64' })).genesis
      return [header.baseFeePerGas, header.withdrawalsRoot === undefined]
    }
    expect(fields(everyFork)).toEqual([undefined, true])
    const blocks = Object.keys(everyFork).filter((name) => name.endsWith('Block'))
    const fromTheStart = Object.fromEntries(blocks.map((name) => [name, 0]))
    expect(fields({ ...everyFork, ...fromTheStart })).toEqual([1_000_000_000n, false])
  })

  test('the deposit contract is the zero address unless it is given', () => {
    const given = `0x${'de'.repeat(20)}`
    const contractOf = (config: object) =>
      bytesToHex(parseGethGenesis(genesisText(config)).schedule.depositContract)
    expect(contractOf(everyFork)).toBe(`0x${'00'.repeat(20)}`)
    expect(contractOf({ ...everyFork, depositContractAddress: given })).toBe(given)
  })

  test('a total difficulty beyond the safe integers keeps its digits', () => {
    const text = genesisText({ ...everyFork, terminalTotalDifficulty: 1 }).replace(
      '"terminalTotalDifficulty":1',
      '"terminalTotalDifficulty":58750000000000000000001',
    )
    const merge = parseGethGenesis(text).schedule.activations.find(({ hardfork }) => hardfork === 'paris')
    expect(merge?.from).toEqual({ totalDifficulty: 58750000000000000000001n })
  })
})

describe('errors name the value', () => {
  test.each([
    [{ ...everyFork, chainId: undefined }, {}, 'config.chainId: is missing'],
    [{ ...everyFork, berlinBlock: 'soon' }, {}, 'config.berlinBlock: expected a whole number, got "soon"'],
    [{ ...everyFork, berlinBlock: -1 }, {}, 'config.berlinBlock: expected a whole number, got -1'],
    [
      { ...everyFork, berlinBlock: undefined },
      {},
      'config.londonBlock: is set, but berlinBlock before it is not',
    ],
    [{ ...everyFork, berlinBlock: 9 }, {}, 'config.londonBlock: is 8, but berlinBlock before it is 9'],
    [{ ...everyFork, eip155Block: 1 }, {}, 'config.eip155Block: is 1, but eip158Block is 2'],
    [{ ...everyFork, pragueTime: 100 }, {}, 'config.pragueTime: is 100, but cancunTime before it is 110'],
    [
      { ...everyFork, terminalTotalDifficulty: undefined },
      {},
      'config.terminalTotalDifficulty: is missing, and forks after the merge are set',
    ],
    [{ ...everyFork, amsterdamTime: 200 }, {}, 'config.amsterdamTime: this fork is not supported'],
    [{ ...everyFork, clique: { period: 0 } }, {}, 'config.clique: proof of authority is not supported'],
    [
      { ...everyFork, blobSchedule: { cancun: { target: 3, max: 2, baseFeeUpdateFraction: 1 } } },
      {},
      'config.blobSchedule.cancun.max: is 2, less than the target 3',
    ],
    [{ ...everyFork, bpo3Time: 150 }, {}, 'config.blobSchedule.bpo3: is missing'],
    [everyFork, { gasLimit: undefined }, 'gasLimit: is missing'],
    [everyFork, { alloc: undefined }, 'alloc: is missing'],
    [everyFork, { mixHash: '0x00' }, 'mixHash: expected 32 bytes, got 1'],
    [everyFork, { alloc: { '0x12': { balance: '0x0' } } }, 'alloc.0x12: expected 20 bytes, got 1'],
    [
      everyFork,
      { alloc: { ['aa'.repeat(20)]: {} } },
      'alloc.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.balance: is missing',
    ],
  ])('%#', (config, rest, message) => {
    expect(() => parseGethGenesis(genesisText(config, rest))).toThrow(message)
  })

  test('input that is not a JSON object', () => {
    expect(() => parseGethGenesis('[]')).toThrow('the file: expected an object, got []')
    expect(() => parseGethGenesis('{')).toThrow('the file: is not JSON')
  })
})

test('accounts have code, nonce, and zero-padded slots', () => {
  const alloc = {
    ['0x' + '11'.repeat(20)]: { balance: '1000', nonce: '0x7', code: '0x6001', storage: { '0x1': '0x02' } },
  }
  const [account] = parseGethGenesis(genesisText(everyFork, { alloc })).genesis.accounts
  expect(account).toMatchObject({ balance: 1000n, nonce: 7n, code: Uint8Array.of(0x60, 1) })
  const [[slot, value]] = account?.storage as [[Uint8Array, Uint8Array]]
  expect([bytesToHex(slot), bytesToHex(value)]).toEqual([
    `0x${'1'.padStart(64, '0')}`,
    `0x${'2'.padStart(64, '0')}`,
  ])
})

test('the genesis has the fields of the forks active at its time', () => {
  const at = (timestamp: number) =>
    parseGethGenesis(genesisText({ ...everyFork, londonBlock: 7 }, { timestamp, number: 7 })).genesis.header
  expect(at(0)).toMatchObject({ baseFeePerGas: 1_000_000_000n })
  expect(at(0)).not.toHaveProperty('withdrawalsRoot')
  expect(at(100)).toHaveProperty('withdrawalsRoot')
  expect(at(100)).not.toHaveProperty('blobGasUsed')
  expect(at(119)).toMatchObject({ blobGasUsed: 0n, excessBlobGas: 0n })
  expect(at(120)).toHaveProperty('requestsHash')
})

describe('formatted again', () => {
  test.each([0, 1, 3])('it is laid out like JSON.stringify, with %i accounts', (count) => {
    const accounts = Array.from({ length: count }, (_, index) => ({
      ...[
        {},
        { nonce: '0x1', code: '0x00' },
        {
          storage: {
            ['0x' + '01'.repeat(32)]: `0x${'02'.repeat(32)}`,
            ['0x' + '03'.repeat(32)]: `0x${'04'.repeat(32)}`,
          },
        },
      ][index],
      balance: '0x3',
    }))
    const alloc = Object.fromEntries(accounts.map((account, index) => [`a${index}`.repeat(20), account]))
    const text = formatGethGenesis(parseGethGenesis(genesisText(everyFork, { alloc })))
    const value = JSON.parse(text) as { alloc: object }
    expect(text).toBe(`${JSON.stringify(value, null, 2)}\n`)
    expect(value.alloc).toEqual(alloc)
  })

  test('a geth genesis keeps its meaning', () => {
    const alloc = { ['11'.repeat(20)]: { balance: '0x3', nonce: '0x1', code: '0x00', storage: {} } }
    const read = parseGethGenesis(genesisText(everyFork, { alloc, extraData: '0xabcd', nonce: '0x42' }))
    const again = parseGethGenesis(formatGethGenesis(read))
    expect(again.genesis).toEqual(read.genesis)
    expect(again.chainId).toBe(7n)
    const starts = ({ schedule }: typeof read) =>
      schedule.activations.map(({ hardfork, from }) => ({ hardfork, from }))
    expect(starts(again)).toEqual(starts(read))
  })

  test.each(['berlin', 'osaka'] as const)('a chain created under %s is unchanged', (hardfork) => {
    const schedule = createSingleForkSchedule({ chainId: 31337n, hardfork })
    const genesis = ownGenesis({
      create2Proxy: true,
      rules: schedule.rulesAt({ number: 0n, timestamp: 0n }),
      timestamp: 1_700_000_000n,
      gasLimit: 30_000_000n,
      baseFee: 5n,
      number: 0n,
      funded: [new Uint8Array(20).fill(9)],
      balance: 10n ** 22n,
    })
    const again = parseGethGenesis(formatGethGenesis({ chainId: 31337n, schedule, genesis }))
    expect(again.genesis.header).toEqual(genesis.header)
    expect(again.genesis.accounts).toEqual(genesis.accounts)
    expect(again.schedule.proofOfWork).toBe(false)
    expect(again.schedule.rulesAt({ number: 1n, timestamp: 0n }).hardfork()).toBe(hardfork)
    expect(again.schedule.transactionGasLimitCap).toBe(false)
  })
})
