// Parts of a page of which one is shown; which one stands in the address.
import { Tabs } from '@base-ui/react/tabs'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export interface PageTab {
  /** As the address has it. */
  readonly id: string
  readonly name: string
  /** Called only for the one that is shown. */
  readonly render: () => ReactNode
}

/** The first one is shown where the address says nothing. `label` tells what they are parts of. */
export function PageTabs({
  label,
  tabs,
}: {
  label: string
  tabs: readonly [PageTab, ...PageTab[]]
}) {
  const { tab } = useSearch({ strict: false })
  const navigate = useNavigate()
  const shown = tabs.find(({ id }) => id === tab) ?? tabs[0]
  const choose = (id: string) =>
    void navigate({
      to: '.',
      search: id === tabs[0].id ? {} : { tab: id },
      replace: true,
      resetScroll: false,
    })
  return (
    <Tabs.Root value={shown.id} onValueChange={choose}>
      <Tabs.List
        aria-label={label}
        className="mb-4 flex gap-1 overflow-x-auto border-line border-b"
      >
        {tabs.map(({ id, name }) => (
          <Tabs.Tab
            key={id}
            value={id}
            className="-outline-offset-2 whitespace-nowrap border-transparent border-b-2 px-3 py-2 text-muted hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, render: draw }) => (
        <Tabs.Panel key={id} value={id}>
          {id === shown.id && draw()}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
