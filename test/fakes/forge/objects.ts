// Reads branches, commits, trees and files of a bare repository.

import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Repository } from './entities.ts'
import { git, gitLine, tryGit } from './git.ts'
import { shapeUser } from './shape-accounts.ts'
import { type ForgeState, fullName } from './state.ts'

/** Returns the branches and their commits, by name. */
export async function readBranches(repository: Repository): Promise<Map<string, string>> {
  const folder = join(repository.directory, 'refs/heads')
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const tips = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map((file) => relative(folder, join(file.parentPath, file.name)))
      .sort()
      .map(async (branch) => [branch, await readTip(repository, `refs/heads/${branch}`)] as const),
  )
  return new Map(tips.filter((tip): tip is [string, string] => tip[1] !== null))
}

/**
 * Resolves a branch, tag, full ref or commit id; null when there is none. Takes no other revision
 * syntax.
 */
export async function resolveCommit(repository: Repository, ref: string): Promise<string | null> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what git forbids in a ref.
  if (ref === '' || /[~^:?*[\\\s\x00-\x1f\x7f]|\.\.|@\{/.test(ref)) return null
  const names =
    ref.startsWith('refs/') || ref === 'HEAD'
      ? [ref]
      : [`refs/heads/${ref}`, `refs/tags/${ref}`, `refs/${ref}`]
  if (/^[0-9a-f]{4,40}$/.test(ref)) names.unshift(ref)
  for (const name of names) {
    if (name.startsWith('refs/heads/')) {
      const tip = await readTip(repository, name)
      if (tip !== null) return tip
      continue
    }
    const found = await tryGit(repository.directory, [
      'rev-parse',
      '--verify',
      '--quiet',
      `${name}^{commit}`,
    ])
    if (found.code === 0) return found.stdout.toString('utf8').trim()
  }
  return null
}

/** Reads a branch from its file without a process. The forge packs no refs. */
async function readTip(repository: Repository, ref: string): Promise<string | null> {
  const text = await readFile(join(repository.directory, ref), 'utf8').catch(() => '')
  return /^[0-9a-f]{40}(?=\n$)/.exec(text)?.[0] ?? null
}

/** Runs one task at a time for each repository, in the order of the calls. */
export async function runExclusive<T>(
  repository: Repository,
  action: () => Promise<T>,
): Promise<T> {
  const turn = repository.writes.then(action)
  repository.writes = turn.catch(() => {})
  return await turn
}

export interface TreeEntry {
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly sha: string
  readonly size: number | null
  readonly path: string
}

/**
 * Returns the entries of a tree or commit, with all below when `recursive`. With a path only its
 * entry, or what is directly inside when it ends with a slash.
 */
export async function readTree(
  repository: Repository,
  tree: string,
  recursive: boolean,
  path?: string,
): Promise<TreeEntry[]> {
  const flags = recursive ? ['-r', '-t'] : []
  const paths = path === undefined || path === '' ? [] : ['--', path]
  const list = await git(repository.directory, [
    'ls-tree',
    '-z',
    '-l',
    '--full-tree',
    ...flags,
    tree,
    ...paths,
  ])
  return list
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [head, path] = [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]
      const [mode, type, sha, size] = head.split(/ +/) as [
        string,
        TreeEntry['type'],
        string,
        string,
      ]
      return { mode, type, sha, size: size === '-' ? null : Number(size), path }
    })
}

/** A blob's bytes. */
export async function readBlob(repository: Repository, sha: string): Promise<Buffer> {
  return await git(repository.directory, ['cat-file', 'blob', sha])
}

/** The id of a commit's root tree. */
export async function treeOf(repository: Repository, commit: string): Promise<string> {
  return await gitLine(repository.directory, ['rev-parse', `${commit}^{tree}`])
}

/**
 * Returns the commits of `head` that `base` (none if null) doesn't have, oldest first; with a path,
 * only those that changed it.
 */
export async function commitsBetween(
  repository: Repository,
  base: string | null,
  head: string,
  path?: string,
): Promise<string[]> {
  const list = await git(repository.directory, [
    'rev-list',
    '--reverse',
    '--topo-order',
    base === null ? head : `${base}..${head}`,
    '--',
    ...(path === undefined ? [] : [`:(literal)${path}`]),
  ])
  return list.toString('utf8').split('\n').filter(Boolean)
}

/** Returns one commit in the format of GitHub's REST API. */
export async function shapeCommit(
  state: ForgeState,
  repository: Repository,
  sha: string,
): Promise<Record<string, unknown>> {
  const format = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x00')
  const text = await gitLine(repository.directory, ['show', '-s', `--format=${format}`, sha])
  const [id, tree, parents, an, ae, at, cn, ce, ct, message] = text.split('\0') as [
    string,
    ...string[],
  ]
  const account = (email: string) => [...state.users.values()].find((user) => user.email === email)
  const [author, committer] = [account(ae!), account(ce!)]
  const api = `${state.url}/api/v3/repos/${fullName(repository)}`
  return {
    sha: id,
    node_id: `C_${Buffer.from(id!).toString('base64url')}`,
    comments_url: `${api}/commits/${id}/comments`,
    url: `${api}/commits/${id}`,
    html_url: `${state.url}/${fullName(repository)}/commit/${id}`,
    commit: {
      url: `${api}/git/commits/${id}`,
      author: { name: an, email: ae, date: new Date(at!).toISOString().replace('.000', '') },
      committer: { name: cn, email: ce, date: new Date(ct!).toISOString().replace('.000', '') },
      message: message!.trimEnd(),
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
      comment_count: 0,
    },
    author: author === undefined ? null : shapeUser(state, author),
    committer: committer === undefined ? null : shapeUser(state, committer),
    parents: parents!
      .split(' ')
      .filter(Boolean)
      .map((parent) => ({
        sha: parent,
        url: `${api}/commits/${parent}`,
        html_url: `${state.url}/${fullName(repository)}/commit/${parent}`,
      })),
  }
}

/** Returns who made a commit and why, as payloads show it. */
export async function readCommitIdentity(
  repository: Repository,
  sha: string,
): Promise<Record<string, unknown>> {
  const format = ['%H', '%T', '%an', '%ae', '%cn', '%ce', '%cI', '%B'].join('%x00')
  const text = await gitLine(repository.directory, ['show', '-s', `--format=${format}`, sha])
  const [id, tree, an, ae, cn, ce, time, message = ''] = text.split('\0')
  return {
    id,
    tree_id: tree,
    message: message.trimEnd(),
    timestamp: new Date(time!).toISOString().replace('.000', ''),
    author: { name: an, email: ae },
    committer: { name: cn, email: ce },
  }
}
