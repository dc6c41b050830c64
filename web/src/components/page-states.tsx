// What is shown while something is on its way, when there is nothing, and when it failed.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { getErrorMessage, isUnauthorized } from '../api/api-error.ts'
import { Button } from './button.tsx'

/** A grey block of the size of what is to come. */
export function Skeleton({ className = '' }: { className?: string }) {
  return <div aria-hidden="true" className={`animate-pulse rounded bg-raised ${className}`} />
}

/** For what has no size yet. */
export function Waiting() {
  return (
    <div role="status" className="p-6">
      <span className="sr-only">Loading …</span>
      <Skeleton className="mb-3 h-6 w-48" />
      <Skeleton className="h-24 w-full" />
    </div>
  )
}

/** There is nothing: why, and what to do next. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-lg border border-line border-dashed p-8 text-center">
      <p className="font-semibold">{title}</p>
      <div className="mx-auto mt-1 max-w-prose text-muted">{children}</div>
    </div>
  )
}

/** It failed: what the service says, and a way to try again. */
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

/** A page that could not be shown at all. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <ErrorAlert error={error} onRetry={reset} />
    </div>
  )
}

/** There is no such page. */
export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl p-6">
      <EmptyState title="There is no such page">
        <Link to="/reviews" className="text-accent underline">
          Go to the reviews
        </Link>
      </EmptyState>
    </div>
  )
}
