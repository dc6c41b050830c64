// Creates work trees of the newest commits for the graph benchmark.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parsedLanguageOfPath } from '../src/languages/index.ts'

export interface BenchTree {
  readonly name: string
  readonly gitDirectory: string
  readonly folder: string
  readonly files: number
  readonly bytes: number
  /** Sorted paths of the files in supported languages. */
  readonly sources: readonly string[]
}

/** The bare repositories in a folder, or one level below. */
export function findBareRepositories(folder: string): string[] {
  const isBare = (path: string) => {
    try {
      return readdirSync(path).includes('HEAD') && readdirSync(path).includes('objects')
    } catch {
      return false
    }
  }
  const first = readdirSync(folder).map((name) => join(folder, name))
  const found = first
    .flatMap((path) => [path, ...listOrEmpty(path).map((name) => join(path, name))])
    .filter(isBare)
  return found.sort()
}

function listOrEmpty(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/**
 * Writes the regular files of the newest commit into a new folder and commits them there. Skips
 * files whose objects are missing, because snapshots may lack large ones.
 */
export async function writeTree(source: string, into: string): Promise<BenchTree> {
  const name =
    basename(source) === 'repo' ? basename(dirname(source)) : basename(source).replace(/\.git$/, '')
  const folder = join(into, name)
  mkdirSync(folder, { recursive: true })
  const listed = execFileSync('git', ['--git-dir', source, 'ls-tree', '-r', '-z', 'HEAD'], {
    maxBuffer: 2 ** 28,
  })
  const entries = listed
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const found = /^100\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(line)
      return found === null ? [] : [{ oid: found[1]!, path: found[2]! }]
    })
  let [files, bytes] = [0, 0]
  const sources: string[] = []
  for (const [at, content] of (
    await readBlobs(
      source,
      entries.map(({ oid }) => oid),
    )
  ).entries()) {
    if (content === undefined) continue
    const path = join(folder, entries[at]!.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    files++
    if (parsedLanguageOfPath(path) !== undefined) sources.push(entries[at]!.path)
    bytes += content.length
  }
  const identity = [
    '-c',
    'user.name=Bench',
    '-c',
    'user.email=bench@example.org',
    '-c',
    'core.autocrlf=false',
  ]
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, '-C', folder, ...args], { stdio: 'ignore' })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message=The tree')
  // Platforms serve packed repositories. Without this, each fetch would wait for packing.
  git('repack', '--quiet', '-a', '-d')
  return { name, gitDirectory: join(folder, '.git'), folder, files, bytes, sources: sources.sort() }
}

async function readBlobs(
  gitDirectory: string,
  oids: readonly string[],
): Promise<(Buffer | undefined)[]> {
  const child = spawn('git', ['--git-dir', gitDirectory, 'cat-file', '--batch'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end(`${oids.join('\n')}\n`)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  const output = Buffer.concat(chunks)
  let at = 0
  return oids.map(() => {
    const end = output.indexOf(0x0a, at)
    const size = / blob (\d+)$/.exec(output.toString('latin1', at, end))?.[1]
    at = end + 1
    if (size === undefined) return undefined
    const content = output.subarray(at, at + Number(size))
    at += Number(size) + 1
    return content
  })
}
