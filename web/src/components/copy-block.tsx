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
    <div className="flex items-start gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <section aria-label={label} tabIndex={0} className="min-w-0 flex-1 overflow-x-auto rounded bg-raised p-2">
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
