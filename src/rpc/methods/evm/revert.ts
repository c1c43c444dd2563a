import { controlNumber } from '../../params/controlNumber.js'
import { defineMethod, required } from '../../method.js'

/** evm_revert: goes back to a snapshot, which is used up; later ones are gone. */
export const revert = defineMethod('evm_revert', [required('snapshot', controlNumber)], ({ backend }, id) =>
  Promise.resolve(backend.controls.revert(id)),
)
