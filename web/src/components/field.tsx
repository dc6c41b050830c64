// Labelled fields of forms.
import { type ComponentProps, type ReactNode, useId } from 'react'

const box =
  'min-h-8 w-full rounded-md border border-line bg-surface px-2 py-1 text-ink placeholder:text-muted'

interface Labelled {
  readonly label: string
  /** The label is for those who hear the page only. */
  readonly hideLabel?: boolean
}

export function TextField({
  label,
  hideLabel,
  className = '',
  ...rest
}: Labelled & ComponentProps<'input'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <input id={id} className={box} {...rest} />}
    </Label>
  )
}

export function SelectField({
  label,
  hideLabel,
  className = '',
  ...rest
}: Labelled & ComponentProps<'select'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <select id={id} className={box} {...rest} />}
    </Label>
  )
}

export function TextArea({
  label,
  hideLabel,
  className = '',
  ...rest
}: Labelled & ComponentProps<'textarea'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <textarea id={id} className={box} {...rest} />}
    </Label>
  )
}

function Label({
  label,
  hideLabel = false,
  className,
  children,
}: Labelled & { className: string; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      {children(id)}
    </div>
  )
}
