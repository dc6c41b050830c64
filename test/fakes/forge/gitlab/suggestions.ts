// The suggestions in a note on the diff: fenced blocks that replace lines around the note's own.
import type { InlineComment, PullRequest, Repository } from '../entities.ts'
import { readBlob, readTree } from '../objects.ts'
import type { Shape } from './shape-projects.ts'

/** GitLab takes at most this many lines above and below (app/models/concerns/suggestible.rb). */
const maximumContext = 100

const fence = /^(`{3,})suggestion(?::(?:-(\d+))?(?:\+(\d+))?)?[ \t]*\n([\s\S]*?)^\1[ \t]*$/gm

/** Returns the suggestions of a note; those on removed lines are none. */
export async function readSuggestions(pull: PullRequest, comment: InlineComment): Promise<Shape[]> {
  const { line, path, side } = comment.original
  const found = side === 'LEFT' ? [] : [...comment.body.matchAll(fence)]
  if (found.length === 0) return []
  const lines = await readLines(pull.repository, comment.originalCommitId, path)
  return found.map(([, , above = '0', below = '0', text], index) => {
    const from = Math.max(1, line - Math.min(Number(above), maximumContext))
    const to = Math.min(lines.length, line + Math.min(Number(below), maximumContext))
    return {
      id: comment.id * 100 + index,
      from_line: from,
      to_line: to,
      appliable: pull.state === 'open' && comment.current !== null,
      applied: false,
      from_content: lines.slice(from - 1, to).join(''),
      to_content: text,
    }
  })
}

async function readLines(repository: Repository, commit: string, path: string): Promise<string[]> {
  const [entry] = await readTree(repository, commit, false, path)
  if (entry?.type !== 'blob') return []
  const text = (await readBlob(repository, entry.sha)).toString('utf8')
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
