// Tabs of a page. The selected tab is part of the URL.
import { Tabs } from '@base-ui/react/tabs'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChildInView } from './use-child-in-view.ts'

export interface PageTab {
  /** Used in the URL. */
  readonly id: string
  readonly name: string
  /** Called only for the selected tab. */
  readonly render: () => ReactNode
}

const tabClass =
  '-outline-offset-2 whitespace-nowrap border-transparent border-b-2 px-3 py-2 text-muted ' +
  'hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink'

/** Selects the first tab if the URL has none. */
export function PageTabs({
  label,
  tabs,
}: {
  label: string
  tabs: readonly [PageTab, ...PageTab[]]
}) {
  const { tab } = useSearch({ strict: false })
  const navigate = useNavigate()
  const selectedTab = tabs.find(({ id }) => id === tab) ?? tabs[0]
  const selectTab = (id: string) =>
    void navigate({
      to: '.',
      search: id === tabs[0].id ? {} : { tab: id },
      replace: true,
      resetScroll: false,
    })
  const list = useChildInView<HTMLDivElement>(tabs.indexOf(selectedTab))
  return (
    <Tabs.Root value={selectedTab.id} onValueChange={selectTab}>
      <Tabs.List
        ref={list}
        aria-label={label}
        className="scroll-edges mb-4 flex gap-1 border-line border-b"
      >
        {tabs.map(({ id, name }) => (
          <Tabs.Tab key={id} value={id} className={tabClass}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ id, render }) => (
        <Tabs.Panel key={id} value={id}>
          {id === selectedTab.id && render()}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  )
}
