import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from '../../scripts/build.mjs'

const execute = promisify(execFile)

/** A project in a temporary folder that has this package installed, and everything that this project has. */
export interface Project {
  folder: string
  /** Runs a Node.js program of the project. @returns what it printed @throws with that if it fails */
  run(words: readonly string[], environment?: Record<string, string>): Promise<string>
  remove(): Promise<void>
}

/** Makes a project of these files, by their paths. */
export async function createProject(files: Readonly<Record<string, string>>): Promise<Project> {
  await build({ types: false, log: () => undefined })
  const folder = await mkdtemp(join(tmpdir(), 'standin-project-'))
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir('node_modules')) {
    if (!name.startsWith('.')) await symlink(resolve('node_modules', name), join(modules, name))
  }
  for (const name of ['package.json', 'bin', 'dist']) {
    await cp(name, join(modules, 'standin', name), { recursive: true })
  }
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return {
    folder,
    run: async (words, environment = {}) => {
      const env = { ...cleanEnvironment(), ...environment }
      const options = { cwd: folder, env, maxBuffer: 2 ** 24 }
      const { stdout, stderr } = await execute(process.execPath, [...words], options).catch(
        (error: { stdout: string; stderr: string }) => {
          throw new Error(`${words.join(' ')} failed:\n${error.stdout}\n${error.stderr}`)
        },
      )
      return stdout + stderr
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The environment without what the runner of these tests has put into it. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter(
      ([name]) => !/^(VITEST|JEST|NODE_ENV|NODE_OPTIONS|NODE_TEST|TEST|DEV|PROD|MODE)/.test(name),
    ),
  )
}
