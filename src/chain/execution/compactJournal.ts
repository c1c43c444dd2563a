import type { EVM } from '@ethereumjs/evm'

/** What became warm or was touched since a checkpoint: addresses, slots by address, touched addresses. */
type JournalDiff = [height: number, changes: [Set<unknown>, Map<unknown, unknown>, Set<unknown>]]
type JournalConstructor = new (...parts: [state: EVM['stateManager'], rules: EVM['common']]) => EVM['journal']

/**
 * A journal of ethereumjs that does not grow with the number of messages.
 *
 * The library's own keeps six collections for each message until the transaction ends, empty or not: half a gigabyte
 * for a transaction of 200,000 calls. Here those that are empty go with the message that made them.
 */
export function createCompactJournal(evm: EVM): EVM['journal'] {
  const Base = evm.journal.constructor as JournalConstructor
  const journal = new (class extends Base {
    override async commit(): Promise<void> {
      dropEmpty(diffsOf(this))
      await super.commit()
      const diffs = diffsOf(this)
      if (diffs.length > 1 && diffs.at(-2)?.[0] === diffs.at(-1)?.[0]) diffs.pop()
    }
  })(evm.stateManager, evm.common)
  if (!Array.isArray(Reflect.get(journal, 'journalDiff'))) {
    throw new Error('@ethereumjs/evm changed Journal.journalDiff')
  }
  return journal
}

/** The library hides the list from its types, and makes a new one when it reverts. */
function diffsOf(journal: EVM['journal']): JournalDiff[] {
  return Reflect.get(journal, 'journalDiff') as JournalDiff[]
}

/** Drops the last entry if it holds nothing; the first one stays. */
function dropEmpty(diffs: JournalDiff[]): void {
  const [, changes] = diffs.at(-1) ?? []
  if (diffs.length > 1 && changes?.every(({ size }) => size === 0)) diffs.pop()
}
