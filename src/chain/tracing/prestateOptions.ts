/** What a prestate tracer shows. */
export interface PrestateOptions {
  diffMode?: boolean
  disableCode?: boolean
  disableStorage?: boolean
  includeEmpty?: boolean
}
