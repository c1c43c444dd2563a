import type { z } from 'zod'

/**
 * Validates a value from a file or request.
 *
 * @param where - source of the value, such as `keys.json` or `the request`
 * @throws ConfigurationError with the path to the first bad value and what was expected there
 */
export function checkConfiguration<Output>(schema: z.ZodType<Output>, value: unknown, where: string): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = mostSpecific(result.error.issues)
  const path = formatPath(issue.path)
  throw new ConfigurationError(`${where}${path === '' ? '' : `, ${path}`}: ${issue.message}`)
}

/** Picks the issue with the deepest path: among alternative schemas, that one is most likely meant. */
function mostSpecific(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [issue] = issues
  if (issue === undefined) throw new Error('the schema refused the value without an issue')
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.filter((branch) => branch.length > 0).map((branch) => mostSpecific(branch))
  const [deepest] = inner.sort((a, b) => b.path.length - a.path.length)
  if (deepest === undefined || deepest.path.length === 0) return issue
  return { ...deepest, path: [...issue.path, ...deepest.path] }
}

/** Formats a path like `keys[2].plan`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('')
}

/** Invalid configuration; the message is one line with the value's path and what was expected. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
