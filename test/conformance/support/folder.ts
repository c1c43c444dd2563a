import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** Directory of public conformance data: STANDIN_CONFORMANCE, or the one next to the project. */
export function conformanceFolder(): string {
  return resolve(process.env['STANDIN_CONFORMANCE'] ?? join(root, '../shared/conformance'))
}

/** A directory in the conformance data; undefined if it does not exist. */
export function conformancePath(...parts: readonly string[]): string | undefined {
  const path = join(conformanceFolder(), ...parts)
  return existsSync(path) ? path : undefined
}

/** All JSON files in a directory, recursively, in order. */
export function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}
