// Lightweight link for long lists, because router links rerender on every navigation.
import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'
import { useApi } from '../api/use-api.ts'

/** `to` is a path with optional query, such as `/reviews/12?tab=code`. */
export function RowLink({
  to,
  ...rest
}: { to: string } & Omit<ComponentProps<'a'>, 'href' | 'onClick'>) {
  const { history } = useRouter()
  const href = useApi().basePath + to
  const follow = (event: MouseEvent) => {
    // The browser handles other buttons and keys that open a new tab or window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    history.push(href)
  }
  return <a href={href} onClick={follow} {...rest} />
}
