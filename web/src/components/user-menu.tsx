// Menu of the signed-in user: theme, API documentation and sign-out.
import { Menu } from '@base-ui/react/menu'
import { CheckIcon, TriangleDownIcon } from '@primer/octicons-react'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { meQuery } from '../api/shared-queries.ts'
import { useApi } from '../api/use-api.ts'
import { setTheme, type ThemeChoice, useThemeChoice } from '../theme.ts'
import { Avatar } from './avatar.tsx'
import { userButtonClass } from './user-button-class.ts'

const menuClass =
  'w-56 rounded-lg border border-line bg-surface p-1 shadow-lg outline-none origin-top-right'
const menuItemClass =
  'block w-full cursor-pointer rounded-md px-2 py-1.5 text-left data-highlighted:bg-raised'

const themeLabels: readonly (readonly [ThemeChoice, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function UserMenu() {
  const api = useApi()
  const { data: me } = useSuspenseQuery(meQuery(api))
  const theme = useThemeChoice()
  const signOut = useSignOut()
  return (
    <Menu.Root>
      <Menu.Trigger className={userButtonClass}>
        <span className="sr-only">Signed in as </span>
        <Avatar name={me.login} />
        <span className="max-w-40 truncate">{me.login}</span>
        <TriangleDownIcon />
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
                    className={`${menuItemClass} flex items-center justify-between`}
                  >
                    {label}
                    <Menu.RadioItemIndicator>
                      <CheckIcon />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                ))}
              </Menu.Group>
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 border-line border-t" />
            {me.is_admin && (
              <Menu.Item
                className={menuItemClass}
                render={<Link to="/deliveries">Webhook deliveries</Link>}
              />
            )}
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
    // Later, it would abort what the next page reads.
    client.clear()
    await navigate({ to: '/sign-in' })
  }
}
