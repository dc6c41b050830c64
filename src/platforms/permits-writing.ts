// Decides what permissions on a repository include.
import type { RepositoryPermission } from './platform.ts'

/** Whether a permission includes writing to the repository. */
export function permitsWriting(permission: RepositoryPermission): boolean {
  return permission === 'write' || permission === 'admin'
}
