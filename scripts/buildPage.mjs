import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'dist', '.page-stamp')

/** Builds the browser page into dist/page if it is missing or out of date. */
export async function buildPage(log) {
  const sources = await hashSources()
  if ((await readFile(stamp, 'utf8').catch(() => undefined)) === sources) return
  log('Building the page')
  const { build } = await import('vite')
  await build({ configFile: join(root, 'page/vite.config.ts'), logLevel: 'warn' })
  await writeFile(stamp, sources)
}

async function hashSources() {
  const hash = createHash('sha256')
  const entries = await readdir(join(root, 'page'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of [...paths.sort(), join(root, 'package-lock.json')]) {
    hash.update(`${relative(root, path)}\0`).update(await readFile(path))
  }
  return hash.digest('hex')
}
