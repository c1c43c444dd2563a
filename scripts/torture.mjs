import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const usage = `npm run torture -- bombs|kills|fuzz|floods [options]

  bombs          expensive requests beside small ones: no stop of more than 50 ms
  kills          kill -9 at random moments: acknowledged data survives
  fuzz           malformed and random requests: no crash, no stop of more than 50 ms, memory below 300 MB
  floods         thousands of connections, slow readers and writers, many subscriptions: memory below 300 MB

  --short        run the short version that is part of the slow tests
  --rounds N     number of kills, requests or connections; each harness has its own default
  --requests N   total requests of all fuzzers
  --seed N       seed of the random numbers (default 1)
  --only TEXT    run only tests whose names match
  --profile      print the call stacks of stops of more than 30 ms`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    requests: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
/** Number of fuzzers that share the requests: JSON-RPC, file operations, controls, HTTP, WebSocket frames. */
const fuzzers = 5
const harnesses = ['bombs', 'kills', 'fuzz', 'floods']
if (values.help || positionals.length === 0 || positionals.some((name) => !harnesses.includes(name))) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const files = positionals.map((name) => `test/torture/${name}`)
const only = values.only === undefined ? [] : ['-t', values.only]
const environment = {
  // Tests that --only excludes are skipped on purpose.
  ...(only.length > 0 && { STANDIN_FAIL_ON_SKIP: '0' }),
  ...(!values.short && { STANDIN_TORTURE_FULL: '1' }),
  ...(values.requests !== undefined && {
    STANDIN_TORTURE_ROUNDS: String(Math.ceil(values.requests / fuzzers)),
  }),
  ...(values.rounds !== undefined && { STANDIN_TORTURE_ROUNDS: values.rounds }),
  ...(values.profile && { STANDIN_TORTURE_PROFILE: '1' }),
  ...(values.seed !== undefined && { STANDIN_TORTURE_SEED: values.seed }),
}
const child = spawn(
  process.execPath,
  [vitest, 'run', '--config', 'vitest.slow.config.ts', ...files, ...only, '--disable-console-intercept'],
  {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  },
)
process.exitCode = await new Promise((resolve) => child.once('close', (status) => resolve(status ?? 1)))
