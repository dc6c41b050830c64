// The mark of Umpire: a home plate with a check. icon.svg and index.html have the same shape.

const plate =
  'M5 3h22a2 2 0 0 1 2 2v13.2a2 2 0 0 1-.6 1.4L17.4 30.4a2 2 0 0 1-2.8 0L3.6 19.6A2 2 0 0 1 3 ' +
  '18.2V5a2 2 0 0 1 2-2z'

export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={`shrink-0 ${className}`}>
      <path className="fill-accent" d={plate} />
      <path
        className="fill-none stroke-[3.2] stroke-surface"
        strokeLinecap="round"
        strokeLinejoin="round"
        d="M9.6 14.4l4.6 4.6 8.4-9"
      />
    </svg>
  )
}
