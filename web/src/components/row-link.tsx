// A link to another page for long lists: the router's own costs each time that something is navigated to.
import { useRouter } from '@tanstack/react-router'
import type { ComponentProps, MouseEvent } from 'react'
import { useApi } from '../api/use-api.ts'

/** `to` is a path of the page, such as `/reviews/12?tab=code`. */
export function RowLink({
  to,
  ...rest
}: { to: string } & Omit<ComponentProps<'a'>, 'href' | 'onClick'>) {
  const { history } = useRouter()
  const href = useApi().basePath + to
  const follow = (event: MouseEvent) => {
    // Another button, or a key that opens it elsewhere, is the browser's.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    history.push(href)
  }
  return <a href={href} onClick={follow} {...rest} />
}
