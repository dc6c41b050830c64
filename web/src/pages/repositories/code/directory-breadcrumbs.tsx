// Breadcrumbs of the current directory, and links to directories.

import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { toHostPath } from '../../../../../src/contract/repository-name.ts'
import { directorySearch } from '../repository-search.ts'

export function DirectoryLink({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Link
      to="."
      search={directorySearch(path)}
      resetScroll={false}
      // Without this, the link to the root would be active in every directory.
      activeOptions={{ exact: true }}
      className="text-accent hover:underline"
    >
      {children}
    </Link>
  )
}

/** Takes the focus when the directory changes, because the link that was followed is gone. */
export function DirectoryBreadcrumbs({ repo, path }: { repo: string; path: string }) {
  const currentItem = useRef<HTMLSpanElement>(null)
  const lastPath = useRef(path)
  useEffect(() => {
    if (lastPath.current !== path) currentItem.current?.focus({ preventScroll: true })
    lastPath.current = path
  }, [path])
  const parts = path === '.' ? [] : path.split('/')
  const name = toHostPath(repo).split('/').at(-1)
  return (
    <nav aria-label="Directory" className="min-h-5.25">
      {parts.map((part, index) => (
        <span key={parts.slice(0, index).join('/')}>
          <DirectoryLink path={parts.slice(0, index).join('/') || '.'}>
            {index === 0 ? name : parts[index - 1]}
          </DirectoryLink>
          <span className="px-1 text-muted">/</span>
          {index === parts.length - 1 && (
            <span ref={currentItem} tabIndex={-1} aria-current="page" className="font-medium">
              {part}
            </span>
          )}
        </span>
      ))}
      {parts.length === 0 && (
        <span ref={currentItem} tabIndex={-1} aria-current="page" className="font-medium">
          {name}
        </span>
      )}
    </nav>
  )
}
