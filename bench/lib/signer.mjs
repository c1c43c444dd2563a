import { HDNodeWallet, Transaction } from 'ethers'
import secp256k1 from 'secp256k1'

/** Mnemonic of the default accounts of every devnet. */
const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 31337
const GWEI = 10n ** 9n

/** An account that signs with native code, because signing must be faster than the measured work. */
export class Signer {
  #key
  nonce = 0

  constructor(index) {
    const wallet = HDNodeWallet.fromPhrase(MNEMONIC, '', `m/44'/60'/0'/0/${index}`)
    this.#key = Buffer.from(wallet.privateKey.slice(2), 'hex')
    this.address = wallet.address
  }

  /** Signs an EIP-1559 transaction with the next nonce. @returns it in hexadecimal */
  sign(fields) {
    const transaction = Transaction.from({
      type: 2,
      chainId: CHAIN_ID,
      nonce: this.nonce++,
      maxFeePerGas: 20n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: 21_000n,
      ...fields,
    })
    const hash = Buffer.from(transaction.unsignedHash.slice(2), 'hex')
    const { signature, recid } = secp256k1.ecdsaSign(hash, this.#key)
    const half = (from) => `0x${Buffer.from(signature.subarray(from, from + 32)).toString('hex')}`
    transaction.signature = { r: half(0), s: half(32), yParity: recid }
    return transaction.serialized
  }
}
