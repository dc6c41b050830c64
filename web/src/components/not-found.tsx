// Page for an unknown address, with the navigation for people who are signed in.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery } from '../api/shared-queries.ts'
import { useApi } from '../api/use-api.ts'
import { Mark } from './brand.tsx'
import { buttonClass } from './button.tsx'
import { Waiting } from './page-states.tsx'
import { Shell } from './shell.tsx'

export function UnknownAddress() {
  const { isPending, isSuccess } = useQuery(meQuery(useApi()))
  if (isPending) return <Waiting />
  if (isSuccess)
    return (
      <Shell>
        <NotFound />
      </Shell>
    )
  return (
    <main>
      <NotFound />
    </main>
  )
}

export function NotFound() {
  useEffect(() => {
    document.title = 'Page not found · Umpire'
  }, [])
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-20 text-center">
      <Mark className="mb-4 size-12" />
      <p className="font-semibold text-muted">404</p>
      <h1 className="font-semibold text-2xl">Page not found</h1>
      <p className="mt-1 mb-5 text-muted">
        There is nothing at this address. Check it for typos. The page may also have been removed.
      </p>
      <Link to="/reviews" className={buttonClass('main')}>
        Go to the reviews
      </Link>
    </div>
  )
}
