import { StateDumpError } from '../../dump/errors.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/data.js'

/** anvil_loadState: takes up what anvil_dumpState gave, here or in anvil, or the accounts of a geth genesis; true. */
export const loadState = defineMethod(
  'anvil_loadState',
  [required('dump', data)],
  async ({ backend }, dump) => {
    const { readDump } = await import('../../dump/readDump.js')
    try {
      await backend.controls.importState(await readDump(dump, backend.chain))
      return true
    } catch (error) {
      if (error instanceof StateDumpError) throw new InvalidParamsError(error.message)
      throw error
    }
  },
)
