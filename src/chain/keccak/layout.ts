/** Where the hash is left. */
export const DIGEST_OFFSET = 0
/** Where the input begins; what comes before it is the module's own. */
export const INPUT_OFFSET = 512
/** The bytes of input that one permutation takes. */
export const RATE_BYTES = 136
