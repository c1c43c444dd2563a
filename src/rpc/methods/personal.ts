import { randomBytes } from 'node:crypto'
import { bytesToBigint, bytesToHex, hexToBytes } from '../../encoding/hex.js'
import { messageSigner } from '../../chain/accounts/keyring.js'
import type { Backend } from '../backend.js'
import { InvalidParamsError, ServerError } from '../errors.js'
import { writtenList } from '../format/pieces.js'
import { type Method, defineMethod, optional, required } from '../method.js'
import { address, anything, data, passphrase, signature, text } from '../params/bytes.js'
import { callObject } from '../params/callObject.js'
import { submitCall } from './eth/sendTransaction.js'
import { signOnly } from './eth/signTransaction.js'

/** Order of secp256k1; private keys are smaller. */
const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The methods of the `personal_` namespace. */
export const personalMethods: readonly Method[] = [
  /** personal_ecRecover: recovers the signer of an EIP-191 message. */
  defineMethod(
    'personal_ecRecover',
    [required('message', data), required('signature', signature)],
    async (_, message, signed) => bytesToHex(await messageSigner(message, signed)),
  ),
  /** personal_importRawKey: adds a private key, with or without 0x, until the node stops, and returns its address. */
  defineMethod(
    'personal_importRawKey',
    [required('privateKey', text('string', 'private key')), required('passphrase', passphrase)],
    ({ backend }, key) => {
      if (!/^(0x)?[0-9a-f]{64}$/i.test(key)) {
        throw new InvalidParamsError('invalid argument 0: expected 32 bytes of private key')
      }
      const bytes = hexToBytes(key)
      const scalar = bytesToBigint(bytes)
      if (scalar === 0n) throw new ServerError('invalid private key, zero or negative')
      if (scalar >= SECP256K1_ORDER) throw new ServerError('invalid private key, >=N')
      return bytesToHex(backend.controls.importKey(bytes))
    },
  ),
  /** personal_listAccounts: returns the addresses that the node signs for. */
  defineMethod('personal_listAccounts', [], ({ backend }) =>
    writtenList(backend.keyring.addresses(), bytesToHex),
  ),
  /** personal_lockAccount: returns whether the node knows an account; keys are never locked here. */
  defineMethod('personal_lockAccount', [required('address', address)], ({ backend }, account) =>
    knows(backend, account),
  ),
  /** personal_newAccount: generates a key, kept until the node stops, and returns its address. */
  defineMethod('personal_newAccount', [required('passphrase', passphrase)], ({ backend }) =>
    bytesToHex(backend.controls.importKey(Uint8Array.from(randomBytes(32)))),
  ),
  /** personal_sendTransaction: like eth_sendTransaction; the passphrase is ignored. */
  defineMethod(
    'personal_sendTransaction',
    [required('transaction', callObject), required('passphrase', passphrase)],
    async ({ backend }, call) => bytesToHex((await submitCall(backend, call)).hash),
  ),
  /** personal_sign: eth_sign with its arguments swapped. */
  defineMethod(
    'personal_sign',
    [required('message', data), required('address', address)],
    async ({ backend }, message, account) => bytesToHex(await backend.keyring.signMessage(account, message)),
  ),
  /** personal_signTransaction: signs a transaction without sending it and returns the signed bytes, like ganache. */
  defineMethod(
    'personal_signTransaction',
    [required('transaction', callObject), required('passphrase', passphrase)],
    async ({ backend }, call) => bytesToHex((await signOnly(backend, call)).raw),
  ),
  /** personal_unlockAccount: returns true for an account that the node knows; keys are never locked here. */
  defineMethod(
    'personal_unlockAccount',
    [required('address', address), required('passphrase', passphrase), optional('seconds', anything)],
    ({ backend }, account) => {
      if (!knows(backend, account)) throw new ServerError('no key for given address or file')
      return true
    },
  ),
]

/** Whether the node holds the key of a 20-byte address, or impersonates it. */
export function knows({ keyring, controls }: Backend, address: Uint8Array): boolean {
  return keyring.has(address) || controls.impersonates(address)
}
