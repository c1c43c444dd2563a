import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** The files of src/ that a file imports, types included. */
function importsOf(file: string, files: ReadonlySet<string>): string[] {
  return ts
    .preProcessFile(readFileSync(file, 'utf8'))
    .importedFiles.map(({ fileName }) => join(dirname(file), fileName.replace(/\.js$/, '.ts')))
    .filter((path) => files.has(path))
}

/** A way from a file back to itself, or undefined. */
function circleFrom(start: string, imports: ReadonlyMap<string, string[]>): string[] | undefined {
  const seen = new Set<string>()
  const ways = [[start]]
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const next of imports.get(way.at(-1) as string) ?? []) {
      if (next === start) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}

it('no files import each other, not even for types', () => {
  const files = new Set(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => join('src', path)),
  )
  expect(files.size).toBeGreaterThan(500)
  const imports = new Map([...files].map((file) => [file, importsOf(file, files)]))
  const circles = [...files].flatMap((file) => circleFrom(file, imports)?.join(' -> ') ?? [])
  expect(circles).toEqual([])
})

it('finds a circle where there is one', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ])
  expect(circleFrom('a', imports)).toBeUndefined()
  expect(circleFrom('b', imports)).toEqual(['b', 'c', 'b'])
})
