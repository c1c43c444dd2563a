#!/usr/bin/env node
'use strict'

const { readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { dirname, join } = require('node:path')
const { Script } = require('node:vm')

const path = join(__dirname, '../dist/cli.cjs')
/** Milliseconds between the start of the node and the moment from which on V8 is tuned for one that lives on. */
const tuneAfter = 1000

/** What a file says; undefined if it cannot be read. */
function read(file, encoding) {
  try {
    return readFileSync(file, encoding)
  } catch {
    return undefined
  }
}

/**
 * Where the compiled code of a build is kept, beside the build. The first line of a build names it; V8 itself refuses
 * the code of another version, processor or set of flags.
 */
function compiledPath(source) {
  const build = source.slice(2, source.indexOf('\n')).trim()
  return join(dirname(path), `.compiled-${build}-${process.version}-${process.arch}`)
}

/** Keeps the compiled code for the next start. A folder that cannot be written to is no error. */
function keep(file, script) {
  const temporary = `${file}.${process.pid}`
  try {
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, file)
  } catch {
    rmSync(temporary, { force: true })
  }
}

/** Loaded late: the first answer does not wait for it. */
function tune() {
  require('./heapGrowth.js').followCollections()
  require('./tierUp.js').optimizeSooner()
}

/** Runs the command, compiled by an earlier start if there was one: compiling takes as long as all the rest. */
function run(source) {
  const file = compiledPath(source)
  const cachedData = read(file)
  const script = new Script(source, { filename: path, cachedData })
  const isKept = cachedData !== undefined && !script.cachedDataRejected
  const whenStarted = () => {
    setTimeout(() => {
      if (isKept) tune()
      // Code that was used by then is part of the compiled form: the best is what a suite of tests has just used.
      else
        require('./quietMoment.js').atQuietMoment(() => {
          keep(file, script)
          tune()
        })
    }, tuneAfter).unref()
  }
  const command = { exports: undefined }
  script.runInThisContext()(command, createRequire(path), path)
  return command.exports(process.argv.slice(2), whenStarted)
}

const source = read(path, 'latin1')
if (source === undefined) {
  console.error('standin is not built yet: run "npm run build" (or "npm start", which builds first)')
  process.exitCode = 1
} else {
  run(source).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}
