// Page and panel with headings.
import { type ReactNode, useEffect } from 'react'

/** Sets the document title. `aside` is next to the heading. */
export function Page({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Umpire`
  }, [title])
  return (
    <div className="mx-auto max-w-7xl px-3 py-4 sm:px-5 sm:py-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        <h1 className="font-semibold text-2xl">{title}</h1>
        {aside}
      </div>
      {children}
    </div>
  )
}

const panelHeaderClass =
  'flex flex-wrap items-center justify-between gap-2 border-line border-b px-3 py-2'

/** A section of a page. `aside` is next to the heading. */
export function Panel({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="mb-4 rounded-lg border border-line bg-surface">
      <div className={panelHeaderClass}>
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      <div className="p-3">{children}</div>
    </section>
  )
}
