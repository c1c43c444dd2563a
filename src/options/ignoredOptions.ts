import { option, optionalOption } from './definition.js'
import { text, toggle, withBareValue } from './kinds.js'

const group = 'Accepted and ignored'

/** A flag of anvil that is taken so that its start lines work, and that changes nothing here. */
function ignored(flag: string, description: string, aliases: readonly string[] = []) {
  return option({ flag, aliases, kind: toggle(), default: false, description, group })
}

/** The same for a flag that has a value. */
function ignoredValue(flag: string, description: string, aliases: readonly string[] = []) {
  return optionalOption({ flag, aliases, kind: text('VALUE', /^/), description, group })
}

/** Flags of anvil without a meaning here: they tune what works otherwise, or is on by default. */
export const ignoredOptions = {
  threads: ignoredValue('threads', 'There are no worker threads to count', ['j', 'jobs']),
  maxPersistedStates: ignoredValue('max-persisted-states', 'Every state stays on disk'),
  transactionBlockKeeper: ignoredValue('transaction-block-keeper', 'Every block stays on disk'),
  memoryLimit: ignoredValue('memory-limit', 'Memory of the virtual machine is bounded by gas'),
  pruneHistory: optionalOption({
    flag: 'prune-history',
    kind: withBareValue(text('STATES', /^/), ''),
    description: 'History lies on disk and needs no memory',
    group,
  }),
  preserveHistoricalStates: ignored('preserve-historical-states', 'Dumps hold the newest state alone'),
  stepsTracing: ignored('steps-tracing', 'debug_traceTransaction always has steps', ['tracing']),
  noRequestSizeLimit: ignored('no-request-size-limit', 'See --max-control-body'),
  disableMinPriorityFee: ignored('disable-min-priority-fee', 'No tip is demanded', ['no-priority-fee']),
  computeUnitsPerSecond: ignoredValue(
    'compute-units-per-second',
    'The remote says itself when it is too much',
  ),
  noRateLimit: ignored('no-rate-limit', 'The remote says itself when it is too much', ['no-rpc-rate-limit']),
  gasPrice: ignoredValue('gas-price', 'Since London the base fee and the tip make the price', ['gasPrice']),
  forkChainId: ignoredValue('fork-chain-id', 'The remote is asked for it; --chain-id sets another one'),
  md: ignored('md', 'The banner is plain text, or JSON with --json'),
  noCors: ignored('no-cors', 'See --allow-origin'),
  verbosity: ignored('verbosity', 'See --trace', ['v']),
}
