import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const require = createRequire(resolve('test/peers/package.json'))

/**
 * Returns the path of a Foundry program installed by `npm install --prefix test/peers`, or undefined if it is not
 * installed or Foundry has no build for this platform.
 */
export function foundryProgram(name: 'anvil' | 'cast' | 'forge'): string | undefined {
  const machine = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    const directory = dirname(require.resolve(`@foundry-rs/${name}-${machine}/package.json`))
    const path = join(directory, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
