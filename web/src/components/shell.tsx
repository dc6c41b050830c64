// Frame of every page: header, navigation and user menu. index.html has a still copy of the header.
import { GearIcon, GitPullRequestIcon, GraphIcon, RepoIcon } from '@primer/octicons-react'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { meQuery } from '../api/shared-queries.ts'
import { useApi } from '../api/use-api.ts'
import { subscribeToLiveUpdates } from '../live-updates.ts'
import { Avatar } from './avatar.tsx'
import { Mark } from './brand.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { useFocusOnNavigation } from './use-focus.ts'
import { userButtonClass } from './user-button-class.ts'

// The request starts at once, but nothing waits for it.
const userMenu = import('./user-menu.tsx')
const UserMenu = lazy(() =>
  userMenu.then(
    (part) => ({ default: part.UserMenu }),
    () => ({ default: UserButton }),
  ),
)

const navigationLinks = [
  ['/reviews', 'Reviews', GitPullRequestIcon],
  ['/repositories', 'Repositories', RepoIcon],
  ['/insights', 'Insights', GraphIcon],
  ['/settings', 'Settings', GearIcon],
] as const

const skipLinkClass =
  'sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded ' +
  'focus:bg-surface focus:p-2'
const navigationClass =
  'order-last -mx-2 flex w-full pb-1.5 sm:order-none sm:mx-0 sm:w-auto sm:gap-0.5 sm:pb-0'
const navigationLinkClass =
  'flex items-center gap-1.5 rounded-md px-2 py-1.5 font-medium text-muted hover:bg-raised ' +
  'hover:text-ink sm:px-2.5'

/** @param props.children instead of the page that the address names */
export function Shell({ children = <Outlet /> }: { children?: ReactNode }) {
  const api = useApi()
  const client = useQueryClient()
  useEffect(() => subscribeToLiveUpdates(client, api.pathOf('liveStream')), [client, api])
  useFocusOnNavigation()
  return (
    <>
      <a href="#main" className={skipLinkClass}>
        Skip to content
      </a>
      <header className="border-line border-b bg-surface">
        <div className="flex min-h-13 flex-wrap items-center gap-x-5 px-3 sm:px-5">
          <Link to="/reviews" className="flex items-center gap-2 py-2 font-bold text-base">
            <Mark />
            Umpire
          </Link>
          <nav aria-label="Pages" className={navigationClass}>
            {navigationLinks.map(([to, name, NavigationIcon]) => (
              <Link
                key={to}
                to={to}
                className={navigationLinkClass}
                activeProps={{ className: 'bg-accent-soft! text-accent!' }}
              >
                <span className="hidden sm:inline-flex">
                  <NavigationIcon />
                </span>
                {name}
              </Link>
            ))}
          </nav>
          <div className="ml-auto flex items-center">
            <Suspense fallback={<UserButton />}>
              <UserMenu />
            </Suspense>
          </div>
        </div>
      </header>
      <ConnectionNotice />
      <main id="main" tabIndex={-1} className="outline-none">
        {children}
      </main>
    </>
  )
}

/** Looks like the trigger of the menu until the menu is loaded. */
function UserButton() {
  const { data: me } = useSuspenseQuery(meQuery(useApi()))
  return (
    <span className={userButtonClass}>
      <Avatar name={me.login} />
      <span className="max-w-40 truncate">{me.login}</span>
      <span className="size-4" />
    </span>
  )
}
