import { beforeAll, it } from 'vitest'
import { buildCommand } from '../support/command.js'
import { surviveKills } from './acknowledged.js'

beforeAll(buildCommand, 120_000)

it('keeps acknowledged data through ten kills', () => surviveKills(10), 300_000)
