import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import * as evm from '@ethereumjs/evm'
import * as tx from '@ethereumjs/tx'
import * as util from '@ethereumjs/util'
import * as vm from '@ethereumjs/vm'
import mcl from 'mcl-wasm'
import { type PluginBuild, build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lighterLibraries } from '../../scripts/lighterLibraries.mjs'
import { seededRandom } from '../support/programs.js'

interface Bundled {
  util: typeof util
  evm: typeof evm
  tx: typeof tx
  vm: typeof vm
  mcl: typeof mcl
  /** Returns the names of the curves created so far. */
  made: () => string[]
}

let directory: string
let bundled: Bundled

/** esbuild plugin that adds a statement to the modules of the curves to record which are created. */
const countMade = {
  name: 'count what is made',
  setup({ onLoad }: PluginBuild) {
    onLoad({ filter: /@noble\/curves\/[a-z0-9-]+\.js$/ }, ({ path }) => {
      const name = /([a-z0-9-]+)\.js$/.exec(path)?.[1]
      return { contents: `${readFileSync(path, 'utf8')}\n;(globalThis.curvesMade ??= []).push('${name}')` }
    })
  },
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'standin-libraries-'))
  const path = join(directory, 'libraries.cjs')
  const built = await build({
    stdin: {
      contents: `export * as util from '@ethereumjs/util'
        export * as evm from '@ethereumjs/evm'
        export * as tx from '@ethereumjs/tx'
        export * as vm from '@ethereumjs/vm'
        export * as mcl from 'mcl-wasm'
        export const made = () => globalThis.curvesMade ?? []`,
      resolveDir: resolve('.'),
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    plugins: [lighterLibraries, countMade],
    write: false,
  })
  writeFileSync(path, built.outputFiles[0]?.contents ?? '')
  bundled = createRequire(import.meta.url)(path) as Bundled
})

afterAll(() => rmSync(directory, { recursive: true }))

test('creates no curve when loaded', () => {
  const groups = ['secp256k1', 'bls12-381', 'bn254', 'nist']
  expect(bundled.made().filter((name) => groups.includes(name))).toEqual([])
})

test('has the same numbers', () => {
  expect(bundled.util.SECP256K1_ORDER).toBe(util.SECP256K1_ORDER)
  const lists = [[], [0], [255], [0, 0], [0, 1], [1, 0], [255, 255], [1, 0, 0]]
  expect(lists.map((bytes) => bundled.util.bytesToBigInt(Uint8Array.from(bytes)))).toEqual([
    ...[0n, 0n, 255n, 0n, 1n, 256n],
    ...[65535n, 65536n],
  ])
})

test('has the same curves', () => {
  const key = Uint8Array.from({ length: 32 }, (_, index) => index + 1)
  expect(bundled.util.privateToAddress(key)).toEqual(util.privateToAddress(key))
  expect(bundled.util.isValidPrivate(new Uint8Array(32))).toBe(false)
  const two = Uint8Array.from([...new Uint8Array(31), 2])
  const point = Uint8Array.from([...new Uint8Array(31), 1, ...two])
  const doubled = new evm.NobleBN254().add(Uint8Array.from([...point, ...point]))
  expect(new bundled.evm.NobleBN254().add(Uint8Array.from([...point, ...point]))).toEqual(doubled)
  expect(new bundled.evm.NobleBN254().mul(Uint8Array.from([...point, ...two]))).toEqual(doubled)
})

test('has the same points of BLS12-381, including infinity', () => {
  const zero = { one: new Uint8Array(128), two: new Uint8Array(256) }
  const field = Uint8Array.from({ length: 64 }, (_, index) => (index < 16 ? 0 : index))
  const results = [bundled, { evm }].map(({ evm: { NobleBLS } }) => {
    const bls = new NobleBLS()
    const one = bls.mapFPtoG1(field)
    const two = bls.mapFP2toG2(Uint8Array.from([...field, ...new Uint8Array(64)]))
    const scalar = Uint8Array.from([...new Uint8Array(31), 2])
    return [
      one,
      two,
      bls.addG1(Uint8Array.from([...one, ...zero.one])),
      bls.addG2(Uint8Array.from([...two, ...zero.two])),
      bls.msmG1(Uint8Array.from([...one, ...scalar, ...one, ...new Uint8Array(32)])),
      bls.msmG2(Uint8Array.from([...two, ...scalar, ...two, ...new Uint8Array(32)])),
      bls.pairingCheck(Uint8Array.from([...one, ...two, ...zero.one, ...two])),
      bls.pairingCheck(Uint8Array.from([...one, ...zero.two])),
    ]
  })
  expect(results[0]).toEqual(results[1])
  expect(results[0]?.[2]).toEqual(results[0]?.[0])
  expect(results[0]?.[3]).toEqual(results[0]?.[1])
  expect(bundled.made()).toContain('bls12-381')
})

test('has the same WebAssembly of BLS12-381', async () => {
  const points = await Promise.all(
    [bundled.mcl, mcl].map(async (library) => {
      await library.init(library.BLS12_381)
      const bls = new evm.MCLBLS(library)
      bls.init()
      return bls.mapFPtoG1(Uint8Array.from({ length: 64 }, (_, index) => (index < 16 ? 0 : index)))
    }),
  )
  expect(points[0]).toEqual(points[1])
})

const hardforks = [Hardfork.Chainstart, Hardfork.Istanbul, Hardfork.Prague, Hardfork.Osaka]

test.each(hardforks)('has the same gas in %s', (hardfork) => {
  const common = new Common({ chain: Mainnet, hardfork })
  const random = seededRandom(7)
  const to = `0x${'11'.repeat(20)}` as const
  for (let round = 0; round < 50; round++) {
    const data = Uint8Array.from({ length: random(700) }, () => (random(3) === 0 ? 0 : random(256)))
    const fields = { data, gasLimit: 1_000_000n, ...(random(2) === 0 && { to }) }
    const [ours, theirs] = [bundled.tx, tx].map((library) => {
      const transaction = library.createLegacyTx(fields, { common })
      return [
        transaction.getDataGas(),
        transaction.getIntrinsicGas(),
        library.getCalldataFloorGas(transaction),
      ]
    })
    expect(ours).toEqual(theirs)
  }
})

test('has the same blooms', () => {
  const random = seededRandom(8)
  const [ours, theirs] = [new bundled.vm.Bloom(), new vm.Bloom()]
  for (let round = 0; round < 100; round++) {
    const item = Uint8Array.from({ length: random(2) === 0 ? 20 : 32 }, () => random(256))
    for (const bloom of [ours, theirs]) bloom.add(item)
    expect(ours.check(item)).toBe(true)
  }
  expect(ours.bitvector).toEqual(theirs.bitvector)
})
