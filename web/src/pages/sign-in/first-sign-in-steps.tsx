// What leads a new operator from nothing to the first review.

export function FirstSignInSteps() {
  return (
    <section
      aria-labelledby="first-steps"
      className="mt-5 rounded-lg border border-line bg-surface p-4"
    >
      <h2 id="first-steps" className="font-semibold">
        Nobody has signed in here yet
      </h2>
      <ol className="mt-2 list-decimal space-y-1 pl-5">
        <li>
          Sign in: the first account becomes the administrator, and is shown what checks of the
          set-up find.
        </li>
        <li>Connect a repository: its webhook is made for you, and it is scanned.</li>
        <li>
          Set <code>MODEL</code> and the key of its provider. Without a model the built-in rules
          review alone.
        </li>
        <li>Open a pull request, and watch its review arrive.</li>
      </ol>
      <p className="mt-2 text-muted">
        Before that, <code>umpire doctor</code> tells the same on the command line.
      </p>
    </section>
  )
}
