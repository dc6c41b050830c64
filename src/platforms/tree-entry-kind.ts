// Reads the kind of a tree's entry from its type and mode in git.
import type { ListedTreeEntry } from './platform.ts'

export function toEntryKind(type: string, mode: string): ListedTreeEntry['kind'] {
  if (type === 'tree') return 'directory'
  if (type === 'commit') return 'submodule'
  return mode === '120000' ? 'symlink' : 'file'
}
