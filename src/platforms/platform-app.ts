// Defines what a code host's App can do: an account of our own, which people install.
//
// Glossary
//   registration  an App with its keys and secrets; a deployment has one
//   installation  an account's consent that the App may work in some of its repositories
//   manifest      the description of an App, from which the host creates it
import type { RepositoryName } from '../domain/pull-request.ts'
import type { DeliveryReader } from './delivery-reader.ts'

/** An App as the host created it, with what proves that we are the App. */
export interface AppRegistration {
  readonly id: string
  /** Its name in addresses. Its comments are written by the account `<slug>[bot]`. */
  readonly slug: string
  readonly name: string
  /** Login of the account that owns it. */
  readonly owner: string
  /** It is the address of its public page. */
  readonly htmlUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly webhookSecret: string
  /** It is the text of a PEM file. */
  readonly privateKey: string
}

/** What calls in the name of the App need. */
export type AppCredentials = Pick<AppRegistration, 'clientId' | 'privateKey'>

/** A form that a browser posts to the host, whose page then asks to create the App. */
export interface AppRegistrationForm {
  readonly action: string
  /** It is JSON for the field `manifest`. */
  readonly manifest: string
}

export interface AppRegistrationInput {
  /** Login of the organization that will own the App; null for the person's own account. */
  readonly organization: string | null
  readonly name: string
  /** It is the address of the page of this deployment. */
  readonly homepageUrl: string
  readonly webhookUrl: string
  /** Where the host sends the browser with the code and the state. */
  readonly redirectUrl: string
  /** Where people return to after signing in with the App. */
  readonly callbackUrl: string
  /** Where people return to after installing the App. */
  readonly setupUrl: string
  readonly state: string
}

/** A repository as lists and deliveries of the App name it. */
export interface AppRepository {
  /** The host's id, which survives renames. */
  readonly id: string
  readonly repo: RepositoryName
}

interface AppAccount {
  readonly id: string
  readonly login: string
  readonly type: 'user' | 'organization'
}

export interface AppInstallation {
  readonly id: string
  readonly account: AppAccount
  readonly isSuspended: boolean
  /** The page at which its owner changes it. */
  readonly htmlUrl: string
}

/** What a delivery says about an installation. */
export type AppInstallationChange =
  | {
      /** It was created, suspended or resumed, or has other repositories. */
      readonly kind: 'changed'
      readonly installation: AppInstallation
      /** The host's id of the person who did that; null if it is unknown. */
      readonly senderId: string | null
      readonly added: readonly AppRepository[]
      readonly removed: readonly Pick<AppRepository, 'id'>[]
    }
  | { readonly kind: 'deleted'; readonly installationId: string }
  /** A repository has another name or owner. */
  | {
      readonly kind: 'renamed'
      readonly installationId: string
      readonly repository: AppRepository
    }

export interface InstallationToken {
  readonly token: string
  readonly expiresAt: Date
}

/** An attempt of the host to send a delivery that failed. */
export interface FailedDelivery {
  /** Identifies the attempt at the host. */
  readonly attemptId: string
  /** The same for all attempts to send a delivery; the receiver gets it too. */
  readonly deliveryId: string
  readonly attemptedAt: Date
  /** Whether somebody asked for this attempt. */
  readonly isRedelivery: boolean
  /** The status of the answer; 0 if there was none. */
  readonly status: number
}

/** What the host says about an App, for the check of the setup. */
export interface AppInspection {
  readonly name: string
  /** Permissions that reviews need and the App lacks, for example `checks: write`. */
  readonly missingPermissions: readonly string[]
  /** Permissions that it lacks and that only reading what other tools found needs. */
  readonly missingToolPermissions: readonly string[]
  readonly missingEvents: readonly string[]
  readonly webhookUrl: string
}

/**
 * The Apps of a code host. Methods that call the network throw `PlatformError` like those of
 * `Platform`.
 */
export interface PlatformApps extends DeliveryReader {
  describeRegistration(input: AppRegistrationInput): AppRegistrationForm
  /**
   * Exchanges the code that the host gave to the browser. Works once, within an hour.
   *
   * @throws PlatformError `platform_not_found` for an unknown or used code
   */
  exchangeManifestCode(code: string, signal?: AbortSignal): Promise<AppRegistration>
  /** The page at which people choose the repositories of a new installation. */
  installUrl(app: Pick<AppRegistration, 'htmlUrl'>): string
  /** Null for a delivery that changes no installation. */
  readInstallationChange(delivery: {
    readonly event: string
    readonly payload: string
  }): AppInstallationChange | null
  /**
   * Creates a token for one repository of an installation, with only the permissions that reviews
   * need and the installation has. The host decides how long it is valid, usually an hour.
   *
   * @throws PlatformError `platform_not_found` if the installation was removed,
   *   `platform_forbidden` if it is suspended, `platform_refused` if it lacks the repository
   */
  createInstallationToken(
    app: AppCredentials,
    input: { installationId: string; repositoryId: string },
    signal?: AbortSignal,
  ): Promise<InstallationToken>
  /**
   * Creates a token that can only read the files of one repository, which is named without its
   * owner.
   *
   * @throws PlatformError like `createInstallationToken`
   */
  createReadToken(
    app: AppCredentials,
    input: { installationId: string; repositoryName: string },
    signal?: AbortSignal,
  ): Promise<InstallationToken>
  listInstallations(app: AppCredentials, signal?: AbortSignal): Promise<readonly AppInstallation[]>
  /** Undefined if it was removed. */
  findInstallation(
    app: AppCredentials,
    installationId: string,
    signal?: AbortSignal,
  ): Promise<AppInstallation | undefined>
  listInstallationRepositories(
    app: AppCredentials,
    installationId: string,
    signal?: AbortSignal,
  ): Promise<readonly AppRepository[]>
  /** Replaces the secret of the App's webhook, and nothing else of it. */
  setWebhookSecret(app: AppCredentials, secret: string, signal?: AbortSignal): Promise<void>
  /**
   * Lists failed attempts to send deliveries to the App since then, the newest first. A delivery
   * that was sent again with success is still listed.
   */
  listFailedDeliveries(
    app: AppCredentials,
    since: Date,
    signal?: AbortSignal,
  ): Promise<readonly FailedDelivery[]>
  /** Asks for another attempt, with the same id and body. The host permits it for some days. */
  redeliver(app: AppCredentials, attemptId: string, signal?: AbortSignal): Promise<void>
  /** @throws PlatformError `platform_unauthorized` if the key isn't one of the App */
  inspectApp(app: AppCredentials, signal?: AbortSignal): Promise<AppInspection>
}
