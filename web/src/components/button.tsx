// Buttons, and classes for links that look like buttons.
import type { ComponentProps } from 'react'

type ButtonVariant = 'plain' | 'main' | 'danger' | 'quiet'

const variantClasses: Readonly<Record<ButtonVariant, string>> = {
  plain: 'border-line bg-surface text-ink shadow-xs hover:bg-raised',
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-bad bg-bad-soft text-bad hover:opacity-90',
  quiet: 'border-transparent text-muted hover:bg-raised hover:text-ink',
}

const baseClass =
  'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 ' +
  'font-medium disabled:opacity-60'

export function buttonClass(variant: ButtonVariant = 'plain'): string {
  return `${baseClass} ${variantClasses[variant]}`
}

/** A button that submits a form only with `type="submit"`. */
export function Button({
  variant = 'plain',
  className = '',
  type = 'button',
  ...rest
}: ComponentProps<'button'> & { variant?: ButtonVariant }) {
  return <button type={type} className={`${buttonClass(variant)} ${className}`} {...rest} />
}
