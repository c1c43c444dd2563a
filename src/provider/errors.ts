/** A configuration that does not fit: where the value is and what was expected, in one line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
