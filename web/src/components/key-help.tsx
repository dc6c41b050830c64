// Button and sheet with the keys of a page, which `?` opens, too.
import { XIcon } from '@primer/octicons-react'
import { useRef } from 'react'
import { useKeys } from './use-keys.ts'

interface KeyHelpProps {
  /** Each key with what it does. */
  readonly keys: readonly (readonly [key: string, effect: string])[]
}

const keyClass =
  'inline-block min-w-5 rounded border border-line bg-raised px-1 text-center font-sans text-ink ' +
  'text-xs/4.5'

export function Key({ name }: { name: string }) {
  return <kbd className={keyClass}>{name}</kbd>
}

const triggerClass =
  'hidden items-center gap-1 rounded-md px-1.5 py-1 text-muted text-xs hover:bg-raised ' +
  'hover:text-ink sm:inline-flex'
const sheetClass =
  'm-auto w-80 rounded-xl border border-line bg-surface p-4 text-ink shadow-xl ' +
  'backdrop:bg-black/40'

export function KeyHelp({ keys }: KeyHelpProps) {
  const sheet = useRef<HTMLDialogElement>(null)
  useKeys({ '?': () => sheet.current?.showModal() })
  return (
    <>
      <button type="button" onClick={() => sheet.current?.showModal()} className={triggerClass}>
        <span aria-hidden="true">
          <Key name="?" />
        </span>
        Shortcuts
      </button>
      <dialog ref={sheet} aria-labelledby="key-help" className={sheetClass}>
        <div className="mb-2 flex items-center justify-between">
          <h2 id="key-help" className="font-semibold text-base">
            Keyboard shortcuts
          </h2>
          <button
            type="button"
            aria-label="Close"
            onClick={() => sheet.current?.close()}
            className="rounded-md p-1.5 text-muted hover:bg-raised hover:text-ink"
          >
            <XIcon />
          </button>
        </div>
        <dl className="space-y-1.5">
          {[...keys, ['?', 'Show this help'] as const].map(([key, effect]) => (
            <div key={key} className="flex items-center justify-between gap-3">
              <dt className="order-2">
                {key.split(' ').map((name) => (
                  <Key key={name} name={name} />
                ))}
              </dt>
              <dd className="text-muted">{effect}</dd>
            </div>
          ))}
        </dl>
      </dialog>
    </>
  )
}
