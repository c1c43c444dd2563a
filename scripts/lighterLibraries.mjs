import { readFile } from 'node:fs/promises'

/**
 * Source text that defines a transaction's number of zero bytes. They are counted once: the checks before an
 * execution and the execution itself need the number five times, and the data may have megabytes.
 */
const zeros = `const zeros = (tx.cache.zeros ??= ((data) => {
        let count = 0;
        for (let i = 0; i < data.length; i++) if (data[i] === 0) count++;
        return count;
    })(tx.data));`

/**
 * Source text of libraries to replace: rarely used values that they build on load, which would slow down every start,
 * and bigint sums over each byte, during which a long transaction would block all other requests. The build fails if a
 * library no longer contains the text.
 */
const replacements = [
  {
    // Cache of 65,536 bigints for two-byte numbers.
    file: /@ethereumjs\/util\/dist\/esm\/bytes\.js$/,
    texts: [
      [/const BIGINT_CACHE = \[\];\nfor \(.*\n.*\n\}\n/, ''],
      ['BIGINT_CACHE[bytes[0]]', 'BigInt(bytes[0])'],
      ['BIGINT_CACHE[bytes[0] * 256 + bytes[1]]', 'BigInt(bytes[0] * 256 + bytes[1])'],
    ],
  },
  {
    file: /@ethereumjs\/tx\/dist\/esm\/util\/intrinsic\.js$/,
    texts: [
      [
        /for \(let i = 0; i < tx\.data\.length; i\+\+\) \{\n *tokens \+= .*\n *\}/,
        `${zeros}
        tokens = BigInt(4 * tx.data.length - 3 * zeros);`,
      ],
    ],
  },
  {
    file: /@ethereumjs\/tx\/dist\/esm\/capabilities\/legacy\.js$/,
    texts: [
      [
        /for \(let i = 0; i < tx\.data\.length; i\+\+\) \{\n *tx\.data\[i\] === 0 .*\n *\}/,
        `${zeros}
    cost = BigInt(zeros) * txDataZero + BigInt(tx.data.length - zeros) * txDataNonZero;`,
      ],
    ],
  },
  {
    // A DataView for each of three numbers of every address and topic.
    file: /@ethereumjs\/vm\/dist\/esm\/bloom\/index\.js$/,
    texts: [[/new DataView\(e\.buffer\)\.getUint16\(i \* 2\)/g, '(e[i * 2] << 8) | e[i * 2 + 1]']],
  },
  {
    // Loads a whole curve with its tables for one number, the order of its group (SEC 2, section 2.4.1).
    file: /@ethereumjs\/util\/dist\/esm\/constants\.js$/,
    texts: [
      [/^import \{ secp256k1 \}.*\n/, ''],
      [
        'secp256k1.Point.CURVE().n',
        "BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')",
      ],
    ],
  },
  {
    // A function call for each of the 436,087 bytes of the library's WebAssembly, which would block all other requests.
    file: /mcl-wasm\/dist\/mcl_c\.js$/,
    texts: [[/Uint8Array\.from\(atob\(wasmBase64\), function .*\);/, "Buffer.from(wasmBase64, 'base64');"]],
  },
  {
    // Two points that would load their curve.
    file: /@ethereumjs\/evm\/dist\/esm\/precompiles\/bls12_381\/noble\.js$/,
    texts: [
      [/^const G[12]_ZERO = bls12_381\.G[12]\.Point\.ZERO;\n/gm, ''],
      [/\b(G[12])_ZERO\b/g, 'bls12_381.$1.Point.ZERO'],
    ],
  },
]

/** Curves that @ethereumjs uses, by module. Each takes milliseconds to load. */
const curves = { secp256k1: 'secp256k1', 'bls12-381': 'bls12_381', bn254: 'bn254', nist: 'p256' }

/** Returns the source of a module whose curve loads on first use. */
function deferredCurve(path, name) {
  return `
let curves
export const ${name} = new Proxy({}, {
  get: (_, member) => (curves ??= require(${JSON.stringify(path)})).${name}[member],
})`
}

/**
 * Loads `debug` only if DEBUG is set: on load it detects the terminal and its colours even if it will print nothing.
 */
const debugIfAsked = `
const silent = Object.assign(() => {}, { enabled: false, extend: () => silent })
module.exports = process.env.DEBUG ? require('debug') : () => silent`

/** Removes work that libraries do on load and a node does not need for its start. */
export const lighterLibraries = {
  name: 'lighter libraries',
  setup({ onLoad, onResolve, resolve }) {
    for (const { file, texts } of replacements) {
      onLoad({ filter: file }, async ({ path }) => ({
        contents: texts.reduce(
          (text, [from, to]) => replaceIn(path, text, from, to),
          await readFile(path, 'utf8'),
        ),
      }))
    }
    onResolve({ filter: /^@noble\/curves\/[a-z0-9-]+\.js$/ }, async ({ path, importer, ...place }) => {
      const name = curves[path.slice('@noble/curves/'.length, -'.js'.length)]
      if (!importer.includes('@ethereumjs') || name === undefined) return undefined
      const { resolveDir, kind } = place
      const { path: module, errors } = await resolve(path, { resolveDir, kind })
      return { errors, path: module, namespace: 'curve', pluginData: { name, resolveDir } }
    })
    onLoad({ filter: /./, namespace: 'curve' }, ({ path, pluginData: { name, resolveDir } }) => ({
      contents: deferredCurve(path, name),
      resolveDir,
    }))
    onResolve({ filter: /^debug$/ }, ({ importer, resolveDir }) =>
      importer.includes('@ethereumjs')
        ? { path: 'debug', namespace: 'debug', pluginData: { resolveDir } }
        : undefined,
    )
    onLoad({ filter: /./, namespace: 'debug' }, ({ pluginData }) => ({
      contents: debugIfAsked,
      ...pluginData,
    }))
  },
}

function replaceIn(path, text, from, to) {
  const replaced = text.replace(from, to)
  if (replaced === text)
    throw new Error(`${path} no longer contains ${from}: see scripts/lighterLibraries.mjs`)
  return replaced
}
