// Button that asks for confirmation before a destructive action.
import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button, buttonClass } from './button.tsx'
import { ErrorAlert } from './page-states.tsx'
import { useFocusOnUnmount } from './use-focus.ts'

interface ConfirmButtonProps {
  readonly label: string
  /** Added to the label for screen readers, to distinguish several buttons. */
  readonly subject?: string
  readonly variant?: 'plain' | 'quiet'
  /** Title of the dialog. */
  readonly title: string
  /** Explains the consequences. */
  readonly children: ReactNode
  /** The dialog closes when the action succeeds, and shows the error otherwise. */
  readonly action: () => Promise<unknown>
}

const popupClass =
  'fixed top-1/4 left-1/2 z-30 w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 rounded-lg ' +
  'border border-line bg-surface p-4 shadow-lg'

export function ConfirmButton({
  label,
  subject,
  variant,
  title,
  children,
  action,
}: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false)
  useFocusOnUnmount()
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: action,
    onSuccess: () => setOpen(false),
  })
  const onOpenChange = (open: boolean) => {
    reset()
    setOpen(open)
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <AlertDialog.Trigger className={buttonClass(variant)}>
        {label}
        {subject && <span className="sr-only"> {subject}</span>}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-20 bg-black/40" />
        <AlertDialog.Popup className={popupClass}>
          <AlertDialog.Title className="font-semibold text-base">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-1 mb-4 text-muted">
            {children}
          </AlertDialog.Description>
          {error && <ErrorAlert error={error} />}
          <div className="mt-3 flex justify-end gap-2">
            <AlertDialog.Close className={buttonClass()}>Cancel</AlertDialog.Close>
            <Button variant="danger" disabled={isPending} onClick={() => mutate()}>
              {label}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
