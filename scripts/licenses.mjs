import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * The licenses of the packages that are bundled: their names, versions, where their source is, and their texts.
 *
 * @param paths - files of the bundle, relative to the project's folder or absolute
 */
export async function collectLicenses(root, paths) {
  const folders = new Set(paths.flatMap((path) => packageFolder(resolve(root, path)) ?? []))
  const entries = await Promise.all([...folders].map(describePackage))
  return [...new Set(entries)].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

/** The folder of the package that a file belongs to. */
function packageFolder(path) {
  const folder = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(path)?.[1]
  return folder !== undefined && existsSync(join(folder, 'package.json')) ? folder : undefined
}

async function describePackage(folder) {
  const { name, version, license, repository } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const source = (typeof repository === 'string' ? repository : repository?.url) ?? ''
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return [`${name} ${version}, ${license}`, source.replace(/^git\+/, ''), ...texts]
    .filter((part) => part !== '')
    .map((part) => `${part.trim()}\n`)
    .join('\n')
}
