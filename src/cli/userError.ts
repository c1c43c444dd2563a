/** Errors whose message tells the user what to change; their names are part of the modules that throw them. */
const userErrors: ReadonlySet<string> = new Set([
  'OptionError',
  'ConfigurationError',
  'NetworkNameError',
  'AddressInUseError',
  'IpcPathError',
  'DataDirectoryError',
  'ChainFileError',
  'ForkError',
  'ExportError',
  'InvalidMnemonicError',
])

/** Whether an error is the user's to mend, so that its message says all there is to say. */
export function isUserError(error: unknown): error is Error {
  return error instanceof Error && userErrors.has(error.name)
}
