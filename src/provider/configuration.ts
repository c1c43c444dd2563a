import type { z } from 'zod'

/**
 * Checks a value that a file or a request brought.
 *
 * @param where what is checked: `keys.json`, `the request`.
 * @throws ConfigurationError that names the path to the first bad value and what was expected there.
 */
export function checkConfiguration<Output>(schema: z.ZodType<Output>, value: unknown, where: string): Output {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = mostSpecific(result.error.issues)
  const path = formatPath(issue.path)
  throw new ConfigurationError(`${where}${path === '' ? '' : `, ${path}`}: ${issue.message}`)
}

/** Of a choice of shapes the one whose faults lie deepest is what was meant. */
function mostSpecific(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [issue] = issues
  if (issue === undefined) throw new Error('there is no issue')
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.filter((branch) => branch.length > 0).map((branch) => mostSpecific(branch))
  const [deepest] = inner.sort((a, b) => b.path.length - a.path.length)
  if (deepest === undefined || deepest.path.length === 0) return issue
  return { ...deepest, path: [...issue.path, ...deepest.path] }
}

/** `keys[2].plan` */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('')
}

/** A configuration that does not fit: where the value is and what was expected, in one line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}
