import { decode, type Parameter } from 'ox/AbiParameters'
import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { formatLog } from './format.js'
import { argumentTypes } from './signatures.js'

/** The address that console.log of hardhat and forge calls; its last bytes are the words. */
export const CONSOLE_ADDRESS = '0x000000000000000000636f6e736f6c652e6c6f67'

const SELECTOR_BYTES = 4

/** The line that a call to the console's address asks for; what is no call of console.log is shown as it is. */
export function decodeConsoleLog(data: Uint8Array): string {
  const types = argumentTypes(bytesToPlainHex(data.subarray(0, SELECTOR_BYTES)))
  if (types === undefined) return bytesToHex(data)
  if (types.length === 0) return ''
  const parameters: Parameter[] = types.map((type) => ({ type }))
  try {
    const options = { checksumAddress: true }
    return formatLog(decode(parameters, data.subarray(SELECTOR_BYTES), options))
  } catch {
    return bytesToHex(data)
  }
}
