// What tests do with Apps on the forge directly, as methods of Forge.
import type { User } from '../entities.ts'
import { type ForgeState, fullName, repositoryNamed, userNamed } from '../state.ts'
import type { AppControls, RegisteredApp } from './app-interface.ts'
import { type App, appNamed, installationNumbered, repositoriesOf } from './app-state.ts'
import {
  acceptPermissions,
  askFor,
  install,
  type Selection,
  select,
  suspend,
  uninstall,
} from './installations.ts'
import { manifestProblems, registerApp } from './register-app.ts'

export function appActions(state: ForgeState): AppControls {
  const find = (id: number) => installationNumbered(state, id)
  const actor = (id: number, by: string | undefined): User =>
    by === undefined ? (state.oauth.signedIn ?? find(id).account) : userNamed(state, by)
  const selection = (repositories: 'all' | readonly string[]): Selection =>
    repositories === 'all'
      ? 'all'
      : repositories.map((repository) => repositoryNamed(state, repository))
  return {
    createApp: (owner, manifest, options) => {
      const problems = manifestProblems(state, manifest)
      if (problems.length > 0) throw new Error(problems.join('; '))
      const { app, pem } = registerApp(state, userNamed(state, owner), manifest, options)
      return viewApp(app, pem)
    },
    installApp: (slug, account, { repositories = 'all', by } = {}) => {
      const user = userNamed(state, account)
      const sender = by === undefined ? (state.oauth.signedIn ?? user) : userNamed(state, by)
      return install(state, appNamed(state, slug), user, selection(repositories), sender).id
    },
    installations: (slug) =>
      appNamed(state, slug).installations.map((one) => ({
        id: one.id,
        app: slug,
        account: one.account.login,
        repositories: repositoriesOf(state, one).map(fullName),
        permissions: one.permissions,
        events: one.events,
        suspended: one.suspendedAt !== null,
      })),
    selectRepositories: (id, repositories, by) =>
      select(state, find(id), selection(repositories), actor(id, by)),
    uninstallApp: (id, by) => uninstall(state, find(id), actor(id, by)),
    suspendInstallation: (id, by) => suspend(state, find(id), true, actor(id, by)),
    unsuspendInstallation: (id, by) => suspend(state, find(id), false, actor(id, by)),
    askForPermissions: (slug, permissions, events) =>
      askFor(appNamed(state, slug), permissions, events),
    acceptPermissions: (id, by) => acceptPermissions(state, find(id), actor(id, by)),
  }
}

function viewApp(app: App, pem: string): RegisteredApp {
  const { id, slug, clientId, clientSecret, hook, bot } = app
  return { id, slug, clientId, clientSecret, webhookSecret: hook.secret, pem, botLogin: bot.login }
}
