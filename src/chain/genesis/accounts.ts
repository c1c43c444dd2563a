import { bigintToBytes } from '../../encoding/quantity.js'
import type { GenesisAccount } from '../genesis.js'
import { bytesOf, GenesisError, type Fields } from './fields.js'

/**
 * The accounts of a genesis: its `alloc`, by address with or without 0x.
 *
 * @throws GenesisError
 */
export function readAccounts(file: Fields): GenesisAccount[] {
  if (!file.has('alloc')) file.refuse('alloc', 'is missing')
  const alloc = file.object('alloc')
  return alloc.names().map((name) => {
    const account = alloc.object(name)
    return {
      address: bytesOf(name, alloc.path(name), 20),
      balance: account.number('balance', 256),
      nonce: account.optionalNumber('nonce') ?? 0n,
      code: account.bytes('code') ?? new Uint8Array(0),
      storage: readStorage(account.object('storage')),
    }
  })
}

/** Slots and values may be written short; the zeros in front are filled in (geth: core/types/account.go). */
function readStorage(storage: Fields): GenesisAccount['storage'] {
  return storage.names().map((name) => {
    const path = storage.path(name)
    const value = storage.text(name) ?? ''
    return [wordOf(name, path), wordOf(value, path)] as const
  })
}

function wordOf(text: string, path: string): Uint8Array {
  const digits = text.replace(/^0x/i, '')
  if (digits.length > 64 || !/^[0-9a-f]*$/i.test(digits)) {
    throw new GenesisError(path, `expected at most 32 bytes in hexadecimal, got ${JSON.stringify(text)}`)
  }
  return bigintToBytes(BigInt(`0x0${digits}`), 32)
}
