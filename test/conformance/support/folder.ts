import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** Returns the directory of public conformance data: STANDIN_CONFORMANCE, or else the one beside the project. */
export function conformanceFolder(): string {
  return resolve(process.env['STANDIN_CONFORMANCE'] ?? join(root, '../shared/conformance'))
}

/** Returns a path within the conformance data, or undefined if it does not exist. */
export function conformancePath(...parts: readonly string[]): string | undefined {
  const path = join(conformanceFolder(), ...parts)
  return existsSync(path) ? path : undefined
}

/** Lists the JSON files below a directory, sorted. */
export function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}
