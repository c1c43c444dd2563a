import { defineKind } from './kind.js'

/** Pushes when synchronisation with other nodes begins or ends, which an own chain never does. */
export const syncing = defineKind('syncing', [], () => () => () => undefined)
