import type { OptionKind } from './kinds.js'
import type { nodeOptionDefinitions } from './read.js'

type Definitions = typeof nodeOptionDefinitions
type Given<Name extends keyof Definitions> = Definitions[Name] extends {
  kind: OptionKind<infer _, infer Input>
}
  ? Input
  : never

/**
 * The options of a node as a program gives them; each has a default. The declarations of the package have a comment for
 * each of them, from its definition.
 */
export type NodeOptions = { [Name in keyof Definitions]?: Given<Name> | undefined }
