// Steps that lead a new operator to the first review.

/** Hosts that have Apps come first in the advice, because one needs no webhooks and tokens. */
export function FirstSignInSteps({
  hosts,
}: {
  hosts: readonly { readonly name: string; readonly apps: boolean }[]
}) {
  const appHost = hosts.find(({ apps }) => apps)
  return (
    <section
      aria-labelledby="first-steps"
      className="mt-5 rounded-lg border border-line bg-surface p-4"
    >
      <h2 id="first-steps" className="font-semibold">
        Set up Umpire
      </h2>
      <ol className="mt-2 list-decimal space-y-1 pl-5">
        <li>
          Sign in. The first account becomes the administrator and sees the results of the setup
          checks.
        </li>
        <li>
          {appHost !== undefined &&
            `Create a ${appHost.name} App and install it in your repositories (recommended), or `}
          {appHost === undefined ? 'Connect' : 'connect'} a repository with your token.
        </li>
        <li>
          Set <code>MODEL</code> and the key of its provider. Without a model, only the built-in
          rules review pull requests.
        </li>
        <li>Open a pull request. Its review appears automatically.</li>
      </ol>
      <p className="mt-2 text-muted">
        To run the same checks on the command line, use <code>umpire doctor</code>.
      </p>
    </section>
  )
}
