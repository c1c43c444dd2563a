import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Readable } from 'node:stream'

/** A TypeScript program bundled so that a test can run it as a separate process. */
export interface BundledProgram {
  run(...parameters: string[]): ChildProcessByStdio<null, Readable, Readable>
  /** Removes the bundle. */
  remove(): void
}

/** Bundles TypeScript source whose imports are relative to the project root. */
export async function bundleProgram(source: string): Promise<BundledProgram> {
  const root = join(import.meta.dirname, '../..')
  // Inside node_modules, so that the bundle can resolve packages.
  const directory = join(
    root,
    'node_modules/.cache',
    `standin-test-${process.pid}-${Math.random().toString(36).slice(2)}`,
  )
  const program = join(directory, 'program.mjs')
  mkdirSync(directory, { recursive: true })
  await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outfile: program,
    logLevel: 'silent',
  })
  return {
    run: (...parameters) =>
      spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'pipe'] }),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
