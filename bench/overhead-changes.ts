// Lists real changes for the overhead benchmark: the newest commits of main branches.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { git } from '../test/fakes/forge/git.ts'

/** A commit of the main branch and its first parent. */
export interface RealChange {
  readonly source: string
  readonly base: string
  readonly head: string
  readonly subject: string
}

/** Maximum number of commits to search for changes. */
const maxCommitsPerRepository = 400

/**
 * Lists the newest changes of the repositories in a folder, newest first. Skips repositories with
 * missing objects.
 *
 * @param folder holds git directories, or folders with one in `repo` or `.git`
 */
export async function readMainlineChanges(folder: string): Promise<RealChange[][]> {
  const isRepository = (path: string) =>
    existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects'))
  const below = readdirSync(folder).map((name) => resolve(folder, name))
  const repositories = below
    .flatMap((path) => [path, join(path, 'repo'), join(path, '.git')])
    .filter(isRepository)
  const lists: RealChange[][] = []
  for (const source of repositories) {
    const changes = await listNewestChanges(source)
    if (await hasAllObjects(source, changes)) lists.push(changes)
    else console.error(`SKIPPED: ${source} lacks objects`)
  }
  return lists
}

/** Picks changes of all repositories in turn, newest first. */
export function takeRoundRobin(
  lists: readonly (readonly RealChange[])[],
  count: number,
): RealChange[] {
  const inTurn = Array.from({ length: maxCommitsPerRepository }, (_, index) =>
    lists.flatMap((list) => list[index] ?? []),
  ).flat()
  if (inTurn.length < count)
    throw new Error(
      `The repositories have only ${inTurn.length} of ${count} changes. Add repositories.`,
    )
  return inTurn.slice(0, count)
}

async function listNewestChanges(source: string): Promise<RealChange[]> {
  const options = [
    'log',
    '--first-parent',
    `--max-count=${maxCommitsPerRepository}`,
    '--format=%H %P%x09%s',
    'HEAD',
    '--',
  ]
  const list = await git(source, [...allowAnyOwner, ...options])
  return list
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const tab = line.indexOf('\t')
      const [head, base] = line.slice(0, tab).split(' ')
      return head && base ? [{ source, base, head, subject: line.slice(tab + 1) }] : []
    })
}

async function hasAllObjects(source: string, changes: readonly RealChange[]): Promise<boolean> {
  const input = changes.flatMap(({ base, head }) => [base, head]).join('\n')
  const options = ['rev-list', '--objects', '--no-walk', '--missing=print', '--stdin']
  const objects = await git(source, [...allowAnyOwner, ...options], { input })
  return !/^\?/m.test(objects.toString('latin1'))
}

/** Allows repositories that another user owns. */
const allowAnyOwner = ['-c', 'safe.directory=*']
