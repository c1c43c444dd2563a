import { beforeAll, it } from 'vitest'
import { buildCommand } from '../support/command.js'
import { surviveKills } from '../support/survival.js'

beforeAll(buildCommand, 120_000)

it('keeps what it acknowledged through a hundred kills', () => surviveKills(100))
