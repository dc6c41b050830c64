// Describes the App that GitHub creates for us: its permissions and events, each with its reason.
// https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
import type { AppRegistrationForm, AppRegistrationInput } from '../platform-app.ts'

/**
 * The least that reviews need; docs/github.md says what each is for. `contents` stays at `read`,
 * although GitHub lets an App resolve threads only with `write`, which would let it push.
 */
export const appPermissions = {
  checks: 'write',
  contents: 'read',
  issues: 'write',
  merge_queues: 'read',
  metadata: 'read',
  pull_requests: 'write',
} as const

/**
 * What people add to the App if its reviews include what other tools found: artifacts of Actions,
 * and code scanning. A token has it only where the installation grants it.
 */
export const addedPermissions = ['actions', 'security_events'] as const

/**
 * Each needs read access that is among the permissions. GitHub also delivers `installation` and
 * `installation_repositories`, to which no App has to subscribe.
 */
export const appEvents = [
  'check_run',
  'check_suite',
  'issue_comment',
  'issues',
  'merge_group',
  'pull_request',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'repository',
] as const

/** GitHub refuses longer names. */
const maxNameLength = 34

/** Builds the form that is posted to the page for new Apps of a person or an organization. */
export function describeRegistration(
  webUrl: string,
  input: AppRegistrationInput,
): AppRegistrationForm {
  const path =
    input.organization === null
      ? '/settings/apps/new'
      : `/organizations/${encodeURIComponent(input.organization)}/settings/apps/new`
  const manifest = {
    name: input.name.slice(0, maxNameLength).trim(),
    url: input.homepageUrl,
    hook_attributes: { url: input.webhookUrl, active: true },
    redirect_url: input.redirectUrl,
    callback_urls: [input.callbackUrl],
    setup_url: input.setupUrl,
    setup_on_update: true,
    request_oauth_on_install: false,
    // Only its owner can install it: a public App would review repositories of strangers.
    public: false,
    default_permissions: appPermissions,
    default_events: appEvents,
  }
  return {
    action: `${webUrl}${path}?${new URLSearchParams({ state: input.state })}`,
    manifest: JSON.stringify(manifest),
  }
}
