import { headPushText } from '../../../format/headPush.js'
import { defineKind } from './kind.js'

/** Pushes the header of each new head; of several blocks that come at once, only of the last. */
export const newHeads = defineKind(
  'newHeads',
  [],
  ({ backend }) =>
    (push) =>
      backend.events.subscribe((event) => {
        if (event.type === 'head') push([headPushText(event.block)])
      }),
)
