import { prepare, statusOf } from './prepare.mjs'

/** Steps of `npm run check` in order. They continue after a failure, so that one run shows all failures. */
const steps = ['format:check', 'lint', 'types', 'docs:check', 'test', 'build', 'dead-code', 'package-shape']
const chosen = process.argv.includes('--without-tests') ? steps.filter((step) => step !== 'test') : steps

await prepare()
const failed = []
for (const step of chosen) {
  console.log(`\n${step}`)
  if ((await statusOf('npm', ['run', '--silent', step])) !== 0) failed.push(step)
}
console.log(failed.length === 0 ? '\nAll checks passed' : `\nFailed: ${failed.join(', ')}`)
console.log(`${chosen.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1
