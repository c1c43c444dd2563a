import boundaries from 'eslint-plugin-boundaries'

/**
 * The rooms of src/ and the files that stand between them, with the rooms each one may look into. A room may
 * always look into itself; nothing looks up. docs/architecture.md draws the same picture.
 */
const rooms = {
  encoding: { pattern: ['src/encoding/**', 'src/version.ts'], below: [] },
  storage: { pattern: 'src/storage/**', below: ['encoding'] },
  chain: { pattern: 'src/chain/**', below: ['storage', 'encoding'] },
  ipfs: { pattern: 'src/ipfs/**', below: ['storage', 'encoding'] },
  rpc: { pattern: 'src/rpc/**', below: ['chain', 'storage', 'encoding'] },
  cassette: { pattern: 'src/cassette/**', below: ['rpc', 'chain', 'encoding'] },
  report: { pattern: 'src/report/**', below: ['chain', 'encoding'] },
  provider: { pattern: 'src/provider/**', below: ['rpc', 'chain', 'storage', 'encoding'] },
  server: { pattern: 'src/server/**', below: ['provider', 'rpc', 'ipfs', 'chain', 'storage', 'encoding'] },
  control: {
    pattern: 'src/control/**',
    below: ['provider', 'cassette', 'rpc', 'report', 'chain', 'storage', 'encoding'],
  },
  options: { pattern: ['src/options.ts', 'src/options/**'], below: ['encoding'] },
  network: {
    pattern: ['src/network.ts', 'src/network/**'],
    below: ['options', 'report', 'provider', 'rpc', 'chain', 'storage', 'encoding'],
  },
  node: {
    pattern: ['src/node.ts', 'src/node/**'],
    below: [
      ...['options', 'network', 'server', 'control', 'provider', 'cassette'],
      ...['rpc', 'chain', 'ipfs', 'storage', 'encoding'],
    ],
  },
  fixture: { pattern: 'src/fixture/**', below: ['node', 'options', 'provider', 'rpc', 'encoding'] },
  index: {
    pattern: 'src/index.ts',
    below: ['fixture', 'node', 'options', 'provider', 'rpc', 'encoding'],
  },
  cli: {
    pattern: ['src/cli.ts', 'src/cli/**'],
    below: ['index', 'fixture', 'node', 'options', 'cassette', 'encoding'],
  },
  testing: { pattern: 'src/testing/**', below: ['index', 'fixture', 'options', 'encoding'] },
}

/** External packages that only some rooms may use. A package that no entry names is free for all. */
const packagesOfRooms = [
  { packages: ['@ethereumjs/*', '@ethereumjs/**'], rooms: ['chain'] },
  { packages: ['hono', 'hono/**', '@hono/*', '@hono/**'], rooms: ['server', 'control'] },
  { packages: ['ws'], rooms: ['server', 'control', 'cassette'] },
  {
    packages: [
      'multiformats',
      'multiformats/**',
      '@multiformats/*',
      '@ipld/*',
      '@libp2p/*',
      '@libp2p/**',
      'ipns',
    ],
    rooms: ['ipfs'],
  },
  { packages: ['level', 'classic-level', 'abstract-level'], rooms: ['storage'] },
  {
    packages: ['zod', 'zod/**'],
    rooms: ['cassette', 'rpc', 'provider', 'control', 'server', 'options', 'network', 'node', 'cli'],
  },
]

const inward = Object.entries(rooms).map(([room, { below }]) => ({
  from: { file: { categories: room } },
  allow: { to: { file: { categories: { anyOf: [room, ...below] } } } },
}))

const outward = packagesOfRooms.map(({ packages, rooms: allowed }) => ({
  from: { file: { categories: { noneOf: allowed } } },
  disallow: { to: { module: { origin: 'external', source: packages } } },
  message: `Only ${allowed.join(', ')} may import {{dependency.source}}`,
}))

const dependencies = (policies) => [
  'error',
  {
    default: 'disallow',
    checkAllOrigins: true,
    message: '{{from.file.categories}} may not import {{to.file.categories}}: arrows point down only',
    policies: [{ allow: { to: { module: { origin: ['external', 'core'] } } } }, ...policies],
  },
]

/**
 * The lint configuration that keeps the arrows between the rooms pointing down.
 *
 * @param {string} root the folder that holds src/
 * @returns {import('eslint').Linter.Config[]}
 */
export function boundariesOf(root) {
  return [
    {
      files: ['src/**/*.ts'],
      plugins: { boundaries },
      settings: {
        'boundaries/root-path': root,
        'boundaries/files': Object.entries(rooms).map(([category, { pattern }]) => ({ category, pattern })),
        'import/resolver': { typescript: { project: `${root}/tsconfig.json` } },
      },
      rules: {
        'boundaries/no-unknown-files': 'error',
        'boundaries/dependencies': dependencies([...inward, ...outward]),
      },
    },
    {
      // A test may hold any package against the code: the unpatched library, another implementation.
      files: ['src/**/*.test.ts'],
      rules: { 'boundaries/dependencies': dependencies(inward) },
    },
  ]
}
