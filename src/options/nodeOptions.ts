import type { OptionKind } from './kinds.js'
import type { nodeOptionDefinitions } from './read.js'

type Definitions = typeof nodeOptionDefinitions
type Given<Name extends keyof Definitions> = Definitions[Name] extends {
  kind: OptionKind<infer _, infer Input>
}
  ? Input
  : never

/**
 * Node options for programs; each has a default. The package's type declarations document each with the description
 * in its definition.
 */
export type NodeOptions = { [Name in keyof Definitions]?: Given<Name> | undefined }
