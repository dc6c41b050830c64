// What tests do with Apps on the forge directly.
import type { AppManifest } from './register-app.ts'

/** An App with the secrets that are shown once. */
export interface RegisteredApp {
  readonly id: number
  readonly slug: string
  readonly clientId: string
  readonly clientSecret: string
  readonly webhookSecret: string
  /** Its private key, PKCS#1 as GitHub has it. */
  readonly pem: string
  /** The login of the account that it acts as. */
  readonly botLogin: string
}

/** What an App may do in an account's repositories. */
export interface InstallationView {
  readonly id: number
  readonly app: string
  readonly account: string
  readonly repositories: readonly string[]
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly suspended: boolean
}

export interface AppControls {
  /**
   * Registers an App without the browser. The owner is a login; `expiresUserTokens` is on unless
   * given. Throws where the manifest is wrong.
   */
  createApp(
    owner: string,
    manifest: AppManifest,
    options?: { expiresUserTokens?: boolean; webhookSecret?: string },
  ): RegisteredApp
  /** Installs an App on an account, for all its repositories or some. Returns the id. */
  installApp(
    slug: string,
    account: string,
    options?: { repositories?: 'all' | readonly string[]; by?: string },
  ): number
  installations(slug: string): readonly InstallationView[]
  /** Changes the repositories of an installation. */
  selectRepositories(
    installation: number,
    repositories: 'all' | readonly string[],
    by?: string,
  ): void
  uninstallApp(installation: number, by?: string): void
  suspendInstallation(installation: number, by?: string): void
  unsuspendInstallation(installation: number, by?: string): void
  /** Changes what the App asks for; installations keep theirs until `acceptPermissions`. */
  askForPermissions(
    slug: string,
    permissions: Readonly<Record<string, string>>,
    events?: readonly string[],
  ): void
  acceptPermissions(installation: number, by?: string): void
}
