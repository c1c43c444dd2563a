/** An option that is unknown, lacks its value or has a bad one; the message is one line for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}
