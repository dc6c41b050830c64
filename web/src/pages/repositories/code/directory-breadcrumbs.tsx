// Where one is in the repository, with ways back up; and a way into a directory.
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { directorySearch } from '../repository-search.ts'

/** A link to what is below a directory. */
export function DirectoryLink({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Link
      to="."
      search={directorySearch(path)}
      resetScroll={false}
      // The root isn't where one is when a part of it is shown.
      activeOptions={{ exact: true }}
      className="text-accent hover:underline"
    >
      {children}
    </Link>
  )
}

/** The directories from the root down. What was followed to get here is gone: whoever comes by keys goes on from here. */
export function DirectoryBreadcrumbs({ repo, path }: { repo: string; path: string }) {
  const here = useRef<HTMLSpanElement>(null)
  const former = useRef(path)
  useEffect(() => {
    if (former.current !== path) here.current?.focus({ preventScroll: true })
    former.current = path
  }, [path])
  const parts = path === '.' ? [] : path.split('/')
  const name = repo.slice(repo.indexOf('/') + 1)
  return (
    <nav aria-label="Directory" className="min-h-5.25">
      {parts.map((part, index) => (
        <span key={parts.slice(0, index).join('/')}>
          <DirectoryLink path={parts.slice(0, index).join('/') || '.'}>
            {index === 0 ? name : parts[index - 1]}
          </DirectoryLink>
          <span className="px-1 text-muted">/</span>
          {index === parts.length - 1 && (
            <span ref={here} tabIndex={-1} aria-current="page" className="font-medium">
              {part}
            </span>
          )}
        </span>
      ))}
      {parts.length === 0 && (
        <span ref={here} tabIndex={-1} aria-current="page" className="font-medium">
          {name}
        </span>
      )}
    </nav>
  )
}
