// Page and panel with headings.
import { type ReactNode, useEffect } from 'react'

/**
 * Sets the document title. `lead` is below the heading and `aside` next to it. A wide page is for
 * code.
 */
export function Page({
  title,
  lead,
  aside,
  isWide = false,
  children,
}: {
  title: string
  lead?: ReactNode
  aside?: ReactNode
  isWide?: boolean
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Umpire`
  }, [title])
  const alignment = lead ? 'items-start' : 'items-center'
  return (
    <div className={`mx-auto px-3 py-4 sm:px-5 sm:py-6 ${isWide ? 'max-w-[100rem]' : 'max-w-7xl'}`}>
      <div className={`mb-4 flex flex-wrap justify-between gap-2 ${alignment}`}>
        <div className="min-w-0">
          <h1 className="font-semibold text-2xl">{title}</h1>
          {lead}
        </div>
        {aside}
      </div>
      {children}
    </div>
  )
}

const panelHeaderClass =
  'flex flex-wrap items-center justify-between gap-2 border-line border-b px-3 py-2'

/** A section of a page. `aside` is next to the heading. Links lead to its `id`. */
export function Panel({
  title,
  aside,
  id,
  children,
}: {
  title: string
  aside?: ReactNode
  id?: string
  children: ReactNode
}) {
  return (
    <section id={id} className="mb-4 scroll-mt-24 rounded-lg border border-line bg-surface">
      <div className={panelHeaderClass}>
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </div>
      <div className="p-3">{children}</div>
    </section>
  )
}
