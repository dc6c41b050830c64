// Form fields with labels.
import { type ComponentProps, type ReactNode, useId } from 'react'

const inputClass =
  'min-h-8 w-full rounded-md border border-line bg-surface px-2 py-1 text-ink ' +
  'placeholder:text-muted'

interface LabelProps {
  readonly label: string
  /** Shows the label only to screen readers. */
  readonly hideLabel?: boolean
}

export function TextField({
  label,
  hideLabel,
  className = '',
  ...rest
}: LabelProps & ComponentProps<'input'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <input id={id} className={inputClass} {...rest} />}
    </Label>
  )
}

export function SelectField({
  label,
  hideLabel,
  className = '',
  ...rest
}: LabelProps & ComponentProps<'select'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <select id={id} className={`${inputClass} truncate`} {...rest} />}
    </Label>
  )
}

export function TextArea({
  label,
  hideLabel,
  className = '',
  ...rest
}: LabelProps & ComponentProps<'textarea'>) {
  return (
    <Label label={label} hideLabel={hideLabel} className={className}>
      {(id) => <textarea id={id} className={inputClass} {...rest} />}
    </Label>
  )
}

function Label({
  label,
  hideLabel = false,
  className,
  children,
}: LabelProps & { className: string; children: (id: string) => ReactNode }) {
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
