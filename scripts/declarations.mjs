import { readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { declareNodeOptions } from './docs.mjs'
import { replaceFile } from './replaceFile.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
const sources = join(root, 'src')

/** Type of `z.json()`, which declarations from zod refer to by name. */
const jsonType =
  'type JSONType = string | number | boolean | null | JSONType[] | { [key: string]: JSONType }\n'

/**
 * Writes the type declarations that the package's exports reach, and removes all others. They do not refer to bundled
 * packages: types that zod infers from schemas are written out.
 *
 * @param commonJs - declaration paths of CommonJS modules
 */
export async function writeDeclarations(commonJs) {
  const program = createProgram()
  const emitted = emit(program)
  const entries = program.getRootFileNames().map(declarationOf)
  const reached = reachFrom(entries, emitted, program)
  for (const path of commonJs) {
    reached.set(join(root, path), declareCommonJs(reached.get(join(root, path.replace(/\.cts$/, '.ts')))))
  }
  reached.set(join(dist, 'options/nodeOptions.d.ts'), await declareNodeOptions())
  for (const [path, text] of reached) await replaceFile(path, text)
  const present = await readdir(dist, { recursive: true, withFileTypes: true })
  for (const { name, parentPath } of present.filter((entry) => /\.d\.c?ts$/.test(entry.name))) {
    const path = join(parentPath, name)
    if (!reached.has(path)) await rm(path)
  }
}

function createProgram() {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => fail([diagnostic]) }
  const path = join(root, 'tsconfig.build.json')
  const { options, fileNames, errors } = ts.getParsedCommandLineOfConfigFile(path, {}, host)
  if (errors.length > 0) fail(errors)
  return ts.createProgram(fileNames, options)
}

/** @returns texts of the declaration files by path */
function emit(program) {
  const emitted = new Map()
  const { diagnostics } = program.emit(undefined, (path, text) => emitted.set(resolve(path), text))
  const all = [...ts.getPreEmitDiagnostics(program), ...diagnostics]
  if (all.length > 0) fail(all)
  return emitted
}

function fail(diagnostics) {
  const host = {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  }
  throw new Error(ts.formatDiagnostics(diagnostics, host))
}

function declarationOf(source) {
  return join(dist, source.slice(sources.length)).replace(/\.ts$/, '.d.ts')
}

function sourceOf(declaration) {
  return join(sources, declaration.slice(dist.length)).replace(/\.d\.ts$/, '.ts')
}

function reachFrom(entries, emitted, program) {
  const reached = new Map()
  const pending = [...entries]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (reached.has(path)) continue
    const text = emitted.get(path)
    const declarations = /from 'zod'/.test(text) ? writeOutTypes(program, sourceOf(path)) : text
    reached.set(path, declarations)
    for (const [, name] of declarations.matchAll(/(?:\bfrom |\bimport\()'(\.[^']+)'/g)) {
      pending.push(resolve(dirname(path), name.replace(/\.js$/, '.d.ts')))
    }
  }
  return reached
}

/** Writes out the exported types of a module, without the schemas that they are inferred from. */
function writeOutTypes(program, path) {
  const checker = program.getTypeChecker()
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.TypeFormatFlags
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)))
  const types = exported
    .filter(({ flags }) => flags & ts.SymbolFlags.TypeAlias)
    .map((symbol) => {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      const text = checker.typeToString(type, undefined, NoTruncation | InTypeAlias | MultilineObjectLiterals)
      const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker))
      return `/** ${comment} */\nexport type ${symbol.name} = ${text}\n`
    })
    .join('')
  return `${types.includes('JSONType') ? jsonType : ''}${types}export {}\n`
}

/** Adapts a module's declarations to its CommonJS version: type imports need a resolution mode there. */
function declareCommonJs(declarations) {
  return declarations.replace(
    /^((?:import|export) type [^;]+ from '\.[^']+')/gm,
    "$1 with { 'resolution-mode': 'import' }",
  )
}
