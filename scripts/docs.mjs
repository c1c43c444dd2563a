import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** The pages of docs/reference/ that follow from the sources, by their file names. */
export async function generatePages() {
  const { optionDefinitions } = await loadSource('src/options.ts')
  const { optionGroups, flagToVariable } = await loadSource('src/options/definition.ts')
  const sections = optionGroups.flatMap((group) => {
    const rows = Object.entries(optionDefinitions)
      .filter(([, definition]) => definition.group === group)
      .map(([name, definition]) => formatRow(name, definition, flagToVariable))
    return rows.length === 0 ? [] : [`## ${group}`, '', ...heading, ...rows, '']
  })
  return new Map([['options.md', [...introduction, ...sections].join('\n')]])
}

const introduction = [
  '# Options',
  '',
  'Each option is a flag of the command, an environment variable, and a property of the file that `--config` names and',
  'of `createNode()`. Flags win over the environment, the environment over the file. This page is written by',
  '`npm run docs` from the schema in `src/options.ts`.',
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

/** Imports a TypeScript module with everything it needs, without leaving a file behind. */
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

async function main() {
  const folder = join(root, 'docs/reference')
  await mkdir(folder, { recursive: true })
  for (const [name, text] of await generatePages()) {
    const path = join(folder, name)
    if (!process.argv.includes('--check')) {
      await writeFile(path, text)
    } else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
      console.error(`docs/reference/${name} is out of date: run npm run docs`)
      process.exitCode = 1
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main()
