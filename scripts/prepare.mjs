import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Installs the dependencies if node_modules is missing or differs from the lockfile, and builds the bundles if they are
 * out of date. Needs only Node and npm.
 */
export async function prepare() {
  if (!(await isInstalled())) {
    console.log('Installing the dependencies from the lockfile')
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])
  }
  const { build } = await import('./build.mjs')
  await build({ types: false })
}

/** Compares the lockfile with npm's record of the packages in node_modules. */
async function isInstalled() {
  const [wanted, present] = await Promise.all([
    readPackages(join(root, 'package-lock.json')),
    readPackages(join(root, 'node_modules/.package-lock.json')),
  ])
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true
    const installed = present[path]
    return installed === undefined ? optional === true : installed.version === version
  })
}

async function readPackages(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

/** Runs a command in the project's directory with inherited streams. @throws unless it exits with status 0 */
export async function run(command, parameters, options = {}) {
  const status = await statusOf(command, parameters, options)
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')} exited with status ${status}`)
}

/** Like {@link run}, but returns the exit status. On Windows npm is a script and needs the shell. */
export async function statusOf(command, parameters, options = {}) {
  const shell = process.platform === 'win32' && command !== process.execPath
  const child = spawn(command, parameters, { cwd: root, stdio: 'inherit', shell, ...options })
  return new Promise((settle, fail) => {
    child.once('error', fail)
    child.once('close', (status) => settle(status ?? 1))
  })
}
