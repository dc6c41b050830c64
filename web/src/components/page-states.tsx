// Loading, empty and error states.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorMessage, isNotFound, isUnauthorized } from '../api/api-error.ts'
import { useConnection } from '../connection.ts'
import { MissingPartError } from '../load-part.ts'
import { Button } from './button.tsx'

/** Gray placeholder with the size of the expected content. */
export function Skeleton({ className = '' }: { className?: string }) {
  return <div aria-hidden="true" className={`animate-pulse rounded bg-raised ${className}`} />
}

/** Placeholder for content of unknown size. */
export function Waiting() {
  return (
    <div role="status" className="p-6">
      <span className="sr-only">Loading …</span>
      <Skeleton className="mb-3 h-6 w-48" />
      <Skeleton className="h-24 w-full" />
    </div>
  )
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line border-dashed p-8 text-center">
      <p className="font-semibold">{title}</p>
      <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>
    </div>
  )
}

export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div role="alert" className="rounded-lg border border-bad bg-bad-soft p-4 text-bad">
      <p>{getErrorMessage(error)}</p>
      <div className="mt-2 flex gap-2">
        {isUnauthorized(error) && (
          <Link to="/sign-in" className="underline">
            Sign in again
          </Link>
        )}
        {isNotFound(error) ? (
          <Link to="/reviews" className="underline">
            Go to the reviews
          </Link>
        ) : (
          onRetry && <Button onClick={onRetry}>Try again</Button>
        )}
      </div>
    </div>
  )
}

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <h1 className="mb-4 font-semibold text-2xl">This page can’t be shown</h1>
      <PartError error={error} reset={reset} />
    </div>
  )
}

/** Replaces the part of a page that has the error. */
export function PartError({ error, reset }: { error: unknown; reset: () => void }) {
  if (error instanceof MissingPartError) return <MissingPart />
  return <ErrorAlert error={error} onRetry={reset} />
}

/** Reloading is left to the person: it would discard what they see, and fail while offline. */
function MissingPart() {
  const isOffline = useConnection() === 'offline'
  return (
    <div role="alert">
      <EmptyState title={isOffline ? 'You are offline' : 'Umpire was updated'}>
        <p className="mb-3">
          {isOffline
            ? 'This part of the page was not loaded yet. Reload when you are back.'
            : 'Reload to use the new version. What you see elsewhere stays until then.'}
        </p>
        <Button variant="main" onClick={() => location.reload()}>
          Reload
        </Button>
      </EmptyState>
    </div>
  )
}
