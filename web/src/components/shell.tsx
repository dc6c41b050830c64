// Frame of every page: header, navigation and user menu.
import { Menu } from '@base-ui/react/menu'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { meQuery } from '../api/shared-queries.ts'
import { useApi } from '../api/use-api.ts'
import { subscribeToLiveUpdates } from '../live-updates.ts'
import { setTheme, type ThemeChoice, useThemeChoice } from '../theme.ts'
import { useFocusOnNavigation } from './use-focus.ts'

const navigationLinks = [
  ['/reviews', 'Reviews'],
  ['/repositories', 'Repositories'],
  ['/insights', 'Insights'],
  ['/settings', 'Settings'],
] as const

const skipLinkClass =
  'sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded ' +
  'focus:bg-surface focus:p-2'

export function Shell() {
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
        <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 px-3 sm:px-5">
          <span className="py-2.5 font-bold">Umpire</span>
          <nav
            aria-label="Pages"
            className="order-last -mx-2 flex w-full sm:order-none sm:mx-0 sm:w-auto"
          >
            {navigationLinks.map(([to, name]) => (
              <Link
                key={to}
                to={to}
                className="border-transparent border-b-2 px-2 py-2.5 text-muted hover:text-ink"
                activeProps={{ className: 'border-accent! text-ink! font-medium' }}
              >
                {name}
              </Link>
            ))}
          </nav>
          <div className="ml-auto flex items-center">
            <UserMenu />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="outline-none">
        <Outlet />
      </main>
    </>
  )
}

const menuClass = 'w-52 rounded-lg border border-line bg-surface p-1 shadow-lg outline-none'
const menuItemClass =
  'block w-full cursor-pointer rounded px-2 py-1 text-left data-highlighted:bg-raised'

const themeLabels: readonly (readonly [ThemeChoice, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

function UserMenu() {
  const api = useApi()
  const { data: me } = useSuspenseQuery(meQuery(api))
  const theme = useThemeChoice()
  const signOut = useSignOut()
  return (
    <Menu.Root>
      <Menu.Trigger className="rounded-md px-2 py-1 hover:bg-raised">
        <span className="sr-only">Signed in as </span>
        {me.login} <span aria-hidden="true">▾</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-20">
          <Menu.Popup className={menuClass}>
            <Menu.RadioGroup value={theme} onValueChange={(value: ThemeChoice) => setTheme(value)}>
              <Menu.Group>
                <Menu.GroupLabel className="px-2 py-1 text-muted text-xs">Theme</Menu.GroupLabel>
                {themeLabels.map(([value, label]) => (
                  <Menu.RadioItem
                    key={value}
                    value={value}
                    className={`${menuItemClass} flex justify-between`}
                  >
                    {label}
                    <Menu.RadioItemIndicator>✓</Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 border-line border-t" />
            <Menu.Item
              className={menuItemClass}
              render={<a href={`${api.basePath}/docs`}>API documentation</a>}
            />
            <Menu.Item className={menuItemClass} onClick={signOut}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function useSignOut(): () => Promise<void> {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await api.call('signOut', {}, { anonymous: true })
    api.clearToken()
    await navigate({ to: '/sign-in' })
    client.clear()
  }
}
