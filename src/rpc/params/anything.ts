import type { Decoder } from './parameter.js'

/** A value that nothing is done with. */
export const anything: Decoder<unknown> = { schema: {}, decode: (value) => value }
