// Text to be copied: a command, a file, a secret.
import { useState } from 'react'
import { Button } from './button.tsx'

/** Where the browser lends no clipboard (over plain HTTP), a click selects all of it. */
export function CopyBlock({ label, text }: { label: string; text: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <div className="flex flex-wrap items-start gap-2 sm:flex-nowrap">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
        tabIndex={0}
        className="min-w-0 grow basis-full overflow-x-auto rounded bg-raised p-2 sm:basis-0"
      >
        <pre className="select-all">{text}</pre>
      </section>
      {'clipboard' in navigator && (
        <Button onClick={copy}>
          {state === 'copied' ? 'Copied' : 'Copy'}
          <span className="sr-only"> {label}</span>
        </Button>
      )}
      <span role="status" className={state === 'failed' ? 'text-bad' : 'sr-only'}>
        {state === 'copied' && 'Copied'}
        {state === 'failed' && 'Select it and copy it by hand.'}
      </span>
    </div>
  )
}
