// Block of text with a copy button.
import { useState } from 'react'
import { Button } from './button.tsx'

/** Over plain HTTP there is no clipboard API, so a click selects the whole text instead. */
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll it
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
        {state === 'failed' && 'Copying failed. Select the text and copy it.'}
      </span>
    </div>
  )
}
