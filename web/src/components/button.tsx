// Buttons, and links that look like them.
import type { ComponentProps } from 'react'

type ButtonVariant = 'plain' | 'main' | 'danger' | 'quiet'

const variantClasses: Readonly<Record<ButtonVariant, string>> = {
  plain: 'border-line bg-surface text-ink hover:bg-raised',
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-bad bg-bad-soft text-bad hover:opacity-90',
  quiet: 'border-transparent text-muted hover:bg-raised hover:text-ink',
}

/** The classes of a button, for links. */
export function buttonClass(look: ButtonVariant = 'plain'): string {
  return `inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 font-medium disabled:opacity-60 ${variantClasses[look]}`
}

/** A button; submits nothing unless its type says so. */
export function Button({
  look = 'plain',
  className = '',
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { look?: ButtonVariant }) {
  return <button type={type} className={`${buttonClass(look)} ${className}`} {...rest} />
}
