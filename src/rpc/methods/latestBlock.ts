import type { BlockSelector } from '../../chain/view.js'

/** The block that is meant where none is named. */
export const latestBlock: BlockSelector = { tag: 'latest' }
