import type { PrestateAccount } from '../../chain/tracing/prestateAccount.js'
import type { PrestateAccounts } from '../../chain/tracing/prestateTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter } from './listWriter.js'
import { jsonBytes, jsonQuantity } from './members.js'
import type { PieceWriter } from './pieceWriter.js'

/** Writes accounts by address, sorted; one has no members that are empty (geth: native/prestate.go, account). */
export function* writePrestate(accounts: PrestateAccounts, writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer, '{}')
  for (const [address, account] of [...accounts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    list.append(`"0x${address}":`)
    yield* writeAccount(account, writer)
  }
  list.end()
}

function* writeAccount(
  { balance, nonce, code, codeHash, storage }: PrestateAccount,
  writer: PieceWriter,
): Steps<void> {
  const members = new ListWriter(writer, '{}')
  if (balance !== undefined) members.append(`"balance":${jsonQuantity(balance)}`)
  if (code.length > 0) members.append(`"code":${jsonBytes(code)}`)
  if (codeHash !== undefined) members.append(`"codeHash":${jsonBytes(codeHash)}`)
  if (nonce !== undefined && nonce > 0n) members.append(`"nonce":${nonce}`)
  yield
  if (storage.size > 0) {
    members.append('"storage":')
    const slots = new ListWriter(writer, '{}')
    for (const [slot, value] of [...storage].sort(([a], [b]) => (a < b ? -1 : 1))) {
      slots.append(`"0x${slot}":"0x${value}"`)
      yield
    }
    slots.end()
  }
  members.end()
}
