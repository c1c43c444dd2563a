import { FileNetworkError } from './errors.js'

const longestName = 255

/** Refuses pin names that are too long (Kubo, `cmdutils.ValidatePinName`). */
export function validatePinName(name: string): void {
  const length = Buffer.byteLength(name)
  if (length <= longestName) return
  throw new FileNetworkError(`pin name is ${length} bytes (max ${longestName} bytes)`)
}
