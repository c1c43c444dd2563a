import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { generateClientTypes } from './clientTypes.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** Generates the pages of docs/reference/ from the sources, by file name. */
export async function generatePages() {
  const { optionDefinitions } = await loadSource('src/options.ts')
  const { optionGroups, flagToVariable } = await loadSource('src/options/kinds.ts')
  const sections = optionGroups.flatMap((group) => {
    const rows = Object.entries(optionDefinitions)
      .filter(([, definition]) => definition.group === group)
      .map(([name, definition]) => formatRow(name, definition, flagToVariable))
    return rows.length === 0 ? [] : [`## ${group}`, '', ...heading, ...rows, '']
  })
  return new Map([
    ['options.md', [...introduction, ...sections].join('\n')],
    ['file-operations.md', await generateOperationsPage()],
  ])
}

/** Generates the declaration of `NodeOptions`, with the description and default of each option in a comment. */
export async function declareNodeOptions() {
  const { nodeOptionDefinitions } = await loadSource('src/options/read.ts')
  const members = Object.entries(nodeOptionDefinitions).flatMap(
    ([name, { flag, default: value, description }]) => {
      const shown = formatDefault(value)
      const note = `\`--${flag}\`${shown === '' ? '' : `; defaults to ${shown}`}.`
      const oneLine = `/** ${description}. ${note} */`
      const comment = oneLine.length <= 108 ? [oneLine] : ['/**', ` * ${description}.`, ` * ${note}`, ' */']
      return [...comment, `${name}?: Given<'${name}'> | undefined`].map((line) => `  ${line}`)
    },
  )
  return [...optionTypeHead, ...members, '}', ''].join('\n')
}

/** Generates the control API's types for the clients in other languages, by file path. */
export async function generateTypesOfClients() {
  const { describeClientSchemas } = await loadSource('src/control/openApi.ts')
  return generateClientTypes(describeClientSchemas())
}

const optionTypeHead = [
  "import type { nodeOptionDefinitions } from './read.js'",
  "import type { OptionKind } from './kinds.js'",
  '',
  'type Definitions = typeof nodeOptionDefinitions',
  'type Given<Name extends keyof Definitions> =',
  '  Definitions[Name] extends { kind: OptionKind<infer _, infer Input> } ? Input : never',
  '',
  '/** The options of a node as a program gives them; each has a default. */',
  'export interface NodeOptions {',
]

async function generateOperationsPage() {
  const { commands } = await loadSourceBesidePackages('src/ipfs/commands/registry.ts')
  const { globalOptions } = await loadSourceBesidePackages('src/ipfs/request/command.ts')
  const sections = [...commands].flatMap(([path, command]) => [
    `## ${path}`,
    '',
    command.description,
    '',
    ...command.arguments.map(formatArgument),
    ...(command.arguments.length === 0 ? [] : ['']),
    ...formatOperationOptions(command.options),
  ])
  const page = [...operationsIntroduction, ...formatOperationOptions(globalOptions), ...sections]
  return `${page.join('\n').trimEnd()}\n`
}

const operationsIntroduction = [
  '# Operations of the file network',
  '',
  'Each operation is `POST /api/v0/<operation>`, with options in the query and arguments in repeated `arg` parameters',
  'or in the files of a multipart body. Options not listed here are ignored. `npm run docs` generates this page from',
  'the declarations in `src/ipfs/commands/`.',
  '',
  '## Options of every operation',
  '',
]

function formatArgument({ name, kind, required, variadic, description }) {
  const notes = [kind === 'file' && 'file', !required && 'optional', variadic && 'repeatable'].filter(Boolean)
  return `- ${code(name)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}: ${description}`
}

function formatOperationOptions(options) {
  const rows = Object.entries(options).map(([name, { type, aliases = [], default: value, description }]) => {
    const names = [name, ...aliases].filter(Boolean).map(code).join('<br>')
    const shown = value === undefined ? '' : code(JSON.stringify(value))
    return `| ${names} | ${type} | ${shown} | ${escapeCell(description)} |`
  })
  if (rows.length === 0) return []
  return ['| Option | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows, '']
}

const introduction = [
  '# Options',
  '',
  'Each option is a flag, an environment variable, and a property of the `--config` file and of `createNode()`. Flags',
  'override the environment, which overrides the file. `npm run docs` generates this page from the schema in',
  '`src/options.ts`.',
  '',
]

const heading = ['| Flag | Property | Variable | Default | Meaning |', '| --- | --- | --- | --- | --- |']

function formatRow(property, { flag, aliases = [], kind, default: value, description }, flagToVariable) {
  const names = [flag, ...aliases].map((name) => (name.length === 1 ? `-${name}` : `--${name}`))
  const [first, ...others] = names
  const flags = [
    code(kind.valueName === undefined ? first : `${first} ${kind.valueName}`),
    ...others.map(code),
  ]
  const cells = [
    flags.join('<br>'),
    code(property),
    code(flagToVariable(flag)),
    formatDefault(value),
    escapeCell(description),
  ]
  return `| ${cells.join(' | ')} |`
}

function formatDefault(value) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  return code(Array.isArray(value) ? value.join(',') : String(value))
}

const code = (text) => `\`${escapeCell(text)}\``

const escapeCell = (text) => text.replaceAll('|', '\\|')

/** Bundles and imports a TypeScript module without writing a file. */
async function loadSource(path) {
  const esbuild = await import('esbuild')
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(root, path)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

/** Bundles and imports a TypeScript module whose packages must load from node_modules. */
async function loadSourceBesidePackages(path) {
  const esbuild = await import('esbuild')
  const outfile = join(root, 'node_modules/.cache/standin-docs', `${path.replaceAll('/', '-')}.mjs`)
  await esbuild.build({
    entryPoints: [join(root, path)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    logLevel: 'silent',
  })
  return import(pathToFileURL(outfile).href)
}

async function main() {
  await mkdir(join(root, 'docs/reference'), { recursive: true })
  for (const [name, text] of await generatePages()) await put(`docs/reference/${name}`, text)
  for (const [name, text] of await generateTypesOfClients()) await put(name, text)
}

/** Writes a file, or with `--check` reports whether it is out of date. */
async function put(name, text) {
  const path = join(root, name)
  if (!process.argv.includes('--check')) {
    await writeFile(path, text)
  } else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${name} is out of date: run npm run docs`)
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main()
