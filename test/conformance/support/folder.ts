import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

/** The folder of public conformance data: STANDIN_CONFORMANCE, else the one beside the project. */
export function conformanceFolder(): string {
  return resolve(process.env['STANDIN_CONFORMANCE'] ?? join(root, '../shared/conformance'))
}

/** A folder within the conformance data, or undefined where it is not there. */
export function conformancePath(...parts: readonly string[]): string | undefined {
  const path = join(conformanceFolder(), ...parts)
  return existsSync(path) ? path : undefined
}

/** The JSON files below a folder, in order. */
export function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}
