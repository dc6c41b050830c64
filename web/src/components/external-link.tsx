// Link to another site, such as the code host. It sends no referrer.
import type { ReactNode } from 'react'

/** Allows only web addresses: undefined for `javascript:` and other schemes. */
export function sanitizeUrl(address: string | null): string | undefined {
  return address !== null && /^https?:\/\//i.test(address) ? address : undefined
}

/** Shows only the content if the address is no web address. */
export function ExternalLink({
  href,
  className = 'text-accent hover:underline',
  children,
}: {
  href: string | null
  className?: string
  children: ReactNode
}) {
  const safeUrl = sanitizeUrl(href)
  if (safeUrl === undefined) return <>{children}</>
  return (
    <a href={safeUrl} rel="noreferrer nofollow" className={className}>
      {children}
    </a>
  )
}
