/** Bytes that are no dump of a state; the message names what is wrong. */
export class StateDumpError extends Error {
  override readonly name = 'StateDumpError'
}
