import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { text } from '../../params/text.js'

/** anvil_setRpcUrl: without a remote node there is nothing to set, and a call is not to name one. */
export const setRpcUrl = defineMethod(
  'anvil_setRpcUrl',
  [required('url', text('string', 'URL'))],
  (_, url) => {
    if (!/^https?:/.test(url))
      throw new InvalidParamsError('invalid argument 0: expected an http or https URL')
    return null
  },
)
