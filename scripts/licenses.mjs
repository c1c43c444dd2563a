import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * Collects the licenses of the bundled packages: names, versions, repositories and license texts.
 *
 * @param paths - files of the bundle, absolute or relative to the project's directory
 */
export async function collectLicenses(root, paths) {
  const directories = new Set(paths.flatMap((path) => packageDirectory(resolve(root, path)) ?? []))
  const entries = await Promise.all([...directories].map(describePackage))
  return [...new Set(entries)].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the directory of the package that a file belongs to. */
function packageDirectory(path) {
  const directory = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(path)?.[1]
  return directory !== undefined && existsSync(join(directory, 'package.json')) ? directory : undefined
}

async function describePackage(directory) {
  const { name, version, license, repository } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  )
  const source = (typeof repository === 'string' ? repository : repository?.url) ?? ''
  const files = (await readdir(directory)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
  return [`${name} ${version}, ${license}`, source.replace(/^git\+/, ''), ...texts]
    .filter((part) => part !== '')
    .map((part) => `${part.trim()}\n`)
    .join('\n')
}
