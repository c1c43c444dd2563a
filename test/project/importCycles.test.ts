import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

/** Returns the files of src/ from which a file imports values; type imports do not exist at run time. */
function importsOf(file: string, files: ReadonlySet<string>): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext)
  return source.statements
    .filter((statement) => ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
    .filter((statement) => !isTypeOnly(statement))
    .flatMap(({ moduleSpecifier }) =>
      moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [],
    )
    .map((name) => join(dirname(file), name.replace(/\.js$/, '.ts')))
    .filter((path) => files.has(path))
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly
  const { importClause: clause } = statement
  if (clause === undefined) return false
  if (clause.isTypeOnly) return true
  const { name, namedBindings: names } = clause
  return (
    name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every((element) => element.isTypeOnly)
  )
}

/** Returns an import path from a file back to itself, or undefined. */
function cycleFrom(start: string, imports: ReadonlyMap<string, string[]>): string[] | undefined {
  const seen = new Set<string>()
  const paths = [[start]]
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of imports.get(path.at(-1) as string) ?? []) {
      if (next === start) return [...path, next]
      if (seen.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return undefined
}

it('src has no cyclic value imports', () => {
  const files = new Set(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => join('src', path)),
  )
  expect(files.size).toBeGreaterThan(300)
  const imports = new Map([...files].map((file) => [file, importsOf(file, files)]))
  const cycles = [...files].flatMap((file) => cycleFrom(file, imports)?.join(' -> ') ?? [])
  expect(cycles).toEqual([])
})

it('finds an import cycle', () => {
  const imports = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['b']],
    ['d', []],
  ])
  expect(cycleFrom('a', imports)).toBeUndefined()
  expect(cycleFrom('b', imports)).toEqual(['b', 'c', 'b'])
})
