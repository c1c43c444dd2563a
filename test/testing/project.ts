import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from '../../scripts/build.mjs'

const execute = promisify(execFile)

/** A temporary project with this package and all packages of this repository installed. */
export interface Project {
  directory: string
  /** Runs a shell command with the binaries of installed packages in PATH, like npm. @returns its output */
  shell(line: string): Promise<string>
  /** Runs a Node.js program of the project. @returns its output @throws Error with the output if it fails */
  run(args: readonly string[], environment?: Record<string, string>): Promise<string>
  remove(): Promise<void>
}

/** Creates a project from files given by path, or from a copy of a directory. */
export async function createProject(files: Readonly<Record<string, string>> | string): Promise<Project> {
  await build({ types: false, log: () => undefined })
  const directory = await mkdtemp(join(tmpdir(), 'standin-project-'))
  const modules = join(directory, 'node_modules')
  await mkdir(modules)
  for (const name of await readdir('node_modules')) {
    if (!name.startsWith('.') && name !== 'standin')
      await symlink(resolve('node_modules', name), join(modules, name))
  }
  await cp('node_modules/.bin', join(modules, '.bin'), { recursive: true, verbatimSymlinks: true })
  await symlink('../standin/bin/standin.js', join(modules, '.bin', 'standin'))
  for (const name of ['package.json', 'bin', 'dist']) {
    await cp(name, join(modules, 'standin', name), { recursive: true })
  }
  if (typeof files === 'string') await cp(files, directory, { recursive: true, filter: isSource })
  for (const [path, content] of typeof files === 'string' ? [] : Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  const start = async (
    program: string,
    args: readonly string[],
    environment: Record<string, string> = {},
  ) => {
    const env = { ...cleanEnvironment(), NO_COLOR: '1', ...environment }
    const { stdout, stderr } = await execute(program, [...args], {
      cwd: directory,
      env,
      maxBuffer: 2 ** 24,
    }).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(`${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`)
    })
    return stdout + stderr
  }
  return {
    directory,
    run: (args, environment) => start(process.execPath, args, environment),
    shell: (line) => start('sh', ['-c', line], { PATH: `${join(modules, '.bin')}:${process.env['PATH']}` }),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Returns the environment without the variables set by this test runner. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.filter(
      ([name]) => !/^(VITEST|JEST|NODE_ENV|NODE_OPTIONS|NODE_TEST|TEST|DEV|PROD|MODE|FORCE_COLOR)/.test(name),
    ),
  )
}

/** Returns whether a path belongs to the example, as opposed to what was installed or built in it. */
function isSource(path: string): boolean {
  return !/[/\\](node_modules|dist|artifacts|cache)([/\\]|$)/.test(path)
}
