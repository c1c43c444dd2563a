import { defineMethod, optional } from '../../method.js'
import { anything } from '../../params/anything.js'

/** hardhat_addCompilationResult: takes note of a compilation; nothing is done with it. */
export const addCompilationResult = defineMethod(
  'hardhat_addCompilationResult',
  [optional('solcVersion', anything), optional('input', anything), optional('output', anything)],
  () => true,
)
