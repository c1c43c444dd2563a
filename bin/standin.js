#!/usr/bin/env node
'use strict'

const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

const path = join(__dirname, '../dist/cli.cjs')
/** Milliseconds from the start of the node until V8 is tuned for a long-running process. */
const TUNING_DELAY = 1000

/** Returns the content of a file, or undefined if it cannot be read. */
function readIfPossible(file, encoding) {
  try {
    return readFileSync(file, encoding)
  } catch {
    return undefined
  }
}

/**
 * Returns the path of a build's code cache, next to the build. The first line of a build identifies it. V8 itself rejects
 * a cache made by another version, for another processor or with other flags.
 */
function codeCachePath(source) {
  const build = source.slice(2, source.indexOf('\n')).trim()
  return join(dirname(path), `.compiled-${build}-${process.version}-${process.arch}`)
}

/** Stores the compiled code for the next start, if the directory is writable. */
function storeCodeCache(file, script) {
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, file)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Tunes V8. These modules are loaded once the node has started, so that they do not delay it. */
function tune() {
  require('./heapGrowth.js').followCollections()
  require('./tierUp.js').optimizeSooner()
}

/** Runs the command from the code cache of an earlier start, if any: compiling takes half of a start. */
function run(source) {
  const file = codeCachePath(source)
  const cachedData = readIfPossible(file)
  const script = new Script(source, { filename: path, cachedData })
  const isCached = cachedData !== undefined && !script.cachedDataRejected
  const whenStarted = () => {
    const withInitialFlags = require('./heapGrowth.js').limitYoungGeneration()
    setTimeout(() => {
      if (isCached) tune()
      // The cache contains the functions compiled so far; after a test suite, those that the next run will need.
      else
        require('./quietMoment.js').atQuietMoment(() => {
          withInitialFlags(() => storeCodeCache(file, script))
          tune()
        })
    }, TUNING_DELAY).unref()
  }
  const command = { exports: undefined }
  script.runInThisContext()(command, createRequire(path), path)
  return command.exports(process.argv.slice(2), whenStarted)
}

const source = readIfPossible(path, 'latin1')
if (source === undefined) {
  console.error('standin is not built yet: run "npm run build" (or "npm start", which builds first)')
  process.exitCode = 1
} else {
  run(source).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}
