// Loading, empty and error states.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorMessage, isUnauthorized } from '../api/api-error.ts'
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
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
      </div>
    </div>
  )
}

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <ErrorAlert error={error} onRetry={reset} />
    </div>
  )
}

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <EmptyState title="Page not found">
        <Link to="/reviews" className="text-accent underline">
          Go to the reviews
        </Link>
      </EmptyState>
    </div>
  )
}
